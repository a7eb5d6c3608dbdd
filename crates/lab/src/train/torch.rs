//! PyTorch as the teacher: samples and first weights go out as files, a script that
//! is part of this program learns from them, and weights come back. The script says
//! what it does in lines of JSON.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;
use solitree_nn::{Precision, Scale, TrainConfig, TrainError, Weights};

use super::measure::short;
use super::teach::{Class, Taught};
use super::{Crew, Step};
use crate::Failure;
use crate::journal::write_whole;

const SCRIPT: &str = include_str!("torch.py");

/// How soon the script is ended after an interrupt.
const PATIENCE: Duration = Duration::from_millis(50);

/// How PyTorch is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torch {
    /// The interpreter: a name or a path.
    pub python: String,
    /// Where to compute.
    pub device: Device,
}

/// Where PyTorch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// On a GPU if there is one.
    Auto,
    /// On the CPU.
    Cpu,
    /// On a GPU.
    Cuda,
}

const DEVICES: [(Device, &str); 3] =
    [(Device::Auto, "auto"), (Device::Cpu, "cpu"), (Device::Cuda, "cuda")];

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DEVICES[*self as usize].1)
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        let found = DEVICES.iter().find(|(_, word)| *word == text);
        found.map(|(device, _)| *device).ok_or_else(|| format!("'{text}' is not auto, cpu or cuda"))
    }
}

/// What the script says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Epoch { epoch: u64, training: f64, validation: f64, accuracy: f64, best: bool },
    NotFinite { epoch: usize, not_finite: usize },
    Ready { torch: String, device: String },
    Error { error: String },
}

impl Torch {
    /// Whether PyTorch is there, and the device; what it is, in words. None if it was
    /// stopped.
    pub(super) fn check(&self, crew: Crew<'_>) -> Result<Option<String>> {
        let mut ready = None;
        let device = self.device.to_string();
        let finished =
            self.run(&["check".as_ref(), device.as_ref()], &|| crew.is_stopped(), &mut |answer| {
                if let Answer::Ready { torch, device } = answer {
                    ready = Some(format!("PyTorch {torch} on {device}"));
                }
                Ok(())
            })?;
        if !finished {
            return Ok(None);
        }
        ready.map(Some).ok_or_else(|| self.failed("it said nothing of PyTorch"))
    }

    /// Teaches a class, with files in a folder that is removed afterwards; none if it
    /// was stopped.
    pub(super) fn teach(
        &self,
        class: &Class<'_>,
        folder: &Path,
        crew: Crew<'_>,
        see: &mut dyn FnMut(Step),
    ) -> Result<Option<Taught>> {
        let failed =
            |error: &dyn fmt::Display| Failure::input(format!("{}: {error}", folder.display()));
        if class.buffers.len().1 == 0 {
            return Err(TrainError::NoSamples("validate with").into());
        }
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let job = folder.join("job.json");
        let out = folder.join("learnt.safetensors");
        let prepared = self.prepare(class, crew.threads, folder, &job, &out);
        let scale = prepared.map_err(|error| failed(&error))?;
        let (mut epochs, mut kept) = (0, None);
        let finished =
            self.run(&["teach".as_ref(), job.as_ref()], &|| crew.is_stopped(), &mut |answer| {
                match answer {
                    Answer::Epoch { epoch, training, validation, accuracy, best } => {
                        epochs = epoch;
                        if best {
                            kept = Some((epoch, (short(training), short(validation)), accuracy));
                        }
                        see(Step::Epoch(epoch, validation));
                        Ok(())
                    }
                    Answer::NotFinite { epoch, not_finite } => {
                        Err(TrainError::NotFinite { epoch, batch: not_finite }.into())
                    }
                    Answer::Ready { .. } | Answer::Error { .. } => Ok(()),
                }
            })?;
        if !finished {
            return Ok(None);
        }
        let (best, loss, accuracy) = kept.ok_or_else(|| self.failed("it told of no epoch"))?;
        let learnt = Weights::read(&out).map_err(|error| failed(&error))?;
        std::fs::remove_dir_all(folder).map_err(|error| failed(&error))?;
        let (accuracy, epochs) = (short(accuracy), (epochs, best));
        Ok(Some(Taught { params: learnt.params, scale, loss, accuracy, epochs }))
    }

    /// Writes what the script needs; how points are scaled.
    fn prepare(
        &self,
        class: &Class<'_>,
        threads: usize,
        folder: &Path,
        job: &Path,
        out: &Path,
    ) -> Result<Scale> {
        let network = class.network()?;
        let [training, validation, first] = ["training", "validation", "first"]
            .map(|name| folder.join(format!("{name}.safetensors")));
        let encoder = class.ground.encoder();
        let (lessons, checks) = class.buffers.samples(class.ground);
        lessons.write_lessons(&training, encoder)?;
        checks.write_lessons(&validation, encoder)?;
        let (scale, usual) = (class.scale(&lessons), TrainConfig::default());
        class.weights(&class.first(&network), scale, 0.0, "").write(&first, Precision::Single)?;
        let text = json!({
            "net": network.outline(),
            "training": training,
            "validation": validation,
            "first": first,
            "out": out,
            "device": self.device.to_string(),
            "threads": threads,
            "seed": class.seed(),
            "batch": class.training.batch,
            "learning_rate": class.training.learning_rate,
            "epochs": class.training.epochs,
            "patience": class.training.patience,
            "cuts": class.training.cuts,
            "scale": [scale.mean, scale.spread],
            "value_weight": usual.value_weight,
            "clear_weight": usual.clear_weight,
        });
        write_whole(job, &text.to_string())?;
        Ok(scale)
    }

    /// Runs the script and hands on what it says. Whether it came to its end: it is
    /// ended when `is_stopped`.
    fn run(
        &self,
        args: &[&OsStr],
        is_stopped: &dyn Fn() -> bool,
        hear: &mut dyn FnMut(Answer) -> Result<()>,
    ) -> Result<bool> {
        let mut command = Command::new(&self.python);
        command.arg("-c").arg(SCRIPT).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => self.failed("no such program"),
            _ => self.failed(&error.to_string()),
        })?;
        let mut child = Ended(child);
        let (said, complaints) = (child.0.stdout.take(), child.0.stderr.take());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let lines = said.into_iter().flat_map(|said| BufReader::new(said).lines());
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What cannot be read is not told: the exit code says that it failed.
            let _ = complaints.map(|mut complaints| complaints.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Disconnected) => break,
                _ if is_stopped() => return Ok(false),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(Answer::Error { error }) => {
                        return Err(Failure::input(format!("{}: {error}", self.python)));
                    }
                    Ok(answer) => hear(answer)?,
                    Err(_) => return Err(self.failed(&format!("it said '{line}'"))),
                },
            }
        }
        let status = child.0.wait().map_err(|error| self.failed(&error.to_string()))?;
        if is_stopped() {
            return Ok(false);
        }
        if status.success() {
            return Ok(true);
        }
        let complaints = complaints.join().unwrap_or_default();
        let last = complaints.lines().rev().find(|line| !line.trim().is_empty());
        Err(self.failed(&format!("{status}: {}", last.unwrap_or("it gave no reason").trim())))
    }

    fn failed(&self, what: &str) -> anyhow::Error {
        Failure::input(format!(
            "{}: {what} (--backend torch needs Python 3.10 or later with PyTorch; --python names \
             another interpreter, --backend own needs none)",
            self.python
        ))
    }
}

/// A process that does not outlive this.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended again.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
#[path = "torch_tests.rs"]
mod tests;
