//! The questions of many threads, put to a machine as a few large batches.
//!
//! A machine apart answers hundreds of questions as fast as one. So a thread that comes
//! while the machine is busy leaves its question; whoever is next to ask puts all that
//! were left in one batch and hands out the answers. What is said of a position does not
//! depend on its company.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::infer::Answers;
use crate::machine::{DistantEvaluator, NetMachine};

/// Batches under way at a time: while the machine is at one the next is written, and what
/// was said of the last is read.
const ABREAST: usize = 4;
/// Positions after which no more questions are put into a batch.
const ENOUGH: usize = 1024;

/// A machine that evaluates in the processor's place as long as it can.
pub(crate) struct Gathering {
    machine: Arc<dyn NetMachine>,
    /// Bytes of a position.
    each: usize,
    /// None when the machine is lost.
    desk: Mutex<Option<Desk>>,
}

struct Desk {
    /// Makes others and is not used itself.
    first: Box<dyn DistantEvaluator>,
    idle: Vec<Box<dyn DistantEvaluator>>,
    under_way: usize,
    waiting: Vec<Question>,
}

struct Question {
    marks: Vec<u8>,
    tell: Sender<Word>,
}

/// What one who waits is told.
enum Word {
    Said(Answers),
    /// The machine is free: all that wait are to be asked for.
    Lead,
}

impl Gathering {
    /// Nobody has asked yet. A position has so many bytes.
    pub(crate) fn new(
        machine: Arc<dyn NetMachine>,
        first: Box<dyn DistantEvaluator>,
        each: usize,
    ) -> Gathering {
        let desk = Desk { first, idle: Vec::new(), under_way: 0, waiting: Vec::new() };
        Gathering { machine, each, desk: Mutex::new(Some(desk)) }
    }

    fn desk(&self) -> MutexGuard<'_, Option<Desk>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the machine is there.
    pub(crate) fn is_there(&self) -> bool {
        self.desk().is_some()
    }

    /// What the machine says; none if it is lost.
    pub(crate) fn evaluate(&self, marks: &[u8]) -> Option<Answers> {
        let (tell, heard) = channel();
        let free = {
            let mut desk = self.desk();
            let desk = desk.as_mut()?;
            desk.waiting.push(Question { marks: marks.to_vec(), tell });
            let free = desk.under_way < ABREAST;
            desk.under_way += usize::from(free);
            free
        };
        if free {
            self.lead();
        }
        self.hear(&heard)
    }

    /// Waits for an answer; none if the machine is lost meanwhile.
    fn hear(&self, heard: &Receiver<Word>) -> Option<Answers> {
        loop {
            match heard.recv() {
                Ok(Word::Said(answers)) => return Some(answers),
                Ok(Word::Lead) => self.lead(),
                // The question was thrown away.
                Err(_) => return None,
            }
        }
    }

    /// Asks for those that wait, the first of them first, and passes the lead on.
    fn lead(&self) {
        let (questions, evaluator) = {
            let mut desk = self.desk();
            let Some(desk) = desk.as_mut() else { return };
            let questions = desk.take(ENOUGH * self.each);
            if questions.is_empty() {
                // Another has asked for them meanwhile.
                return desk.pass_on();
            }
            (questions, desk.idle.pop().map_or_else(|| desk.first.another(), Ok))
        };
        let marks: Vec<u8> =
            questions.iter().flat_map(|question| &question.marks).copied().collect();
        let mut said = Answers::default();
        let asked = evaluator.and_then(|mut evaluator| {
            evaluator.evaluate(&marks, &mut said)?;
            Ok(evaluator)
        });
        match asked {
            Ok(evaluator) => {
                if let Some(desk) = self.desk().as_mut() {
                    desk.idle.push(evaluator);
                    desk.pass_on();
                }
                self.hand_out(questions, &said);
            }
            // All questions are thrown away, and those who asked hear of it.
            Err(reason) => {
                if self.desk().take().is_some() {
                    self.machine.lose(&reason);
                }
            }
        }
    }

    /// Gives everyone what was said of theirs.
    fn hand_out(&self, questions: Vec<Question>, said: &Answers) {
        let all: usize = questions.iter().map(|question| question.marks.len() / self.each).sum();
        let mut before = 0;
        for question in questions {
            let many = question.marks.len() / self.each;
            let part = |all_said: &[f32]| {
                let each = all_said.len() / all.max(1);
                all_said[before * each..(before + many) * each].to_vec()
            };
            let answers = Answers {
                policy: part(&said.policy),
                value: part(&said.value),
                clear: part(&said.clear),
            };
            before += many;
            // One who does not wait any more needs no answer.
            let _ = question.tell.send(Word::Said(answers));
        }
    }
}

impl Desk {
    /// The questions that came first, up to so many bytes or a single one.
    fn take(&mut self, most: usize) -> Vec<Question> {
        let mut bytes = 0;
        let fits = |question: &&Question| {
            let first = bytes == 0;
            bytes += question.marks.len();
            first || bytes <= most
        };
        let many = self.waiting.iter().take_while(fits).count();
        self.waiting.drain(..many).collect()
    }

    /// A batch is over: the next is for the first of those who wait.
    fn pass_on(&mut self) {
        let next = self.waiting.first();
        if next.is_none_or(|question| question.tell.send(Word::Lead).is_err()) {
            self.under_way -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::machine::Digits;
    use crate::network::Network;
    use crate::params::Params;

    /// Says of a position of three bytes what they are, and is slow; after so many batches
    /// it is on fire.
    #[derive(Debug, Default)]
    struct Machine {
        batches: Arc<AtomicUsize>,
        told: Mutex<Vec<String>>,
    }

    struct Slow(Arc<AtomicUsize>, usize);

    impl NetMachine for Machine {
        fn evaluator(
            &self,
            _: &Network,
            _: &Params,
            _: Digits,
        ) -> Result<Box<dyn DistantEvaluator>, String> {
            Err("not asked for here".to_owned())
        }

        fn lose(&self, reason: &str) {
            self.told.lock().unwrap().push(reason.to_owned());
        }
    }

    impl DistantEvaluator for Slow {
        fn evaluate(&mut self, positions: &[u8], out: &mut Answers) -> Result<(), String> {
            if self.0.fetch_add(1, Relaxed) >= self.1 {
                return Err("it is on fire".to_owned());
            }
            thread::sleep(Duration::from_millis(2));
            out.policy = positions.iter().map(|&byte| f32::from(byte)).collect();
            out.value = positions.chunks(3).map(|position| f32::from(position[0])).collect();
            Ok(())
        }

        fn another(&self) -> Result<Box<dyn DistantEvaluator>, String> {
            Ok(Box::new(Slow(Arc::clone(&self.0), self.1)))
        }
    }

    fn gathering(machine: &Arc<Machine>, batches: usize) -> Gathering {
        let first = Box::new(Slow(Arc::clone(&machine.batches), batches));
        Gathering::new(Arc::clone(machine) as Arc<dyn NetMachine>, first, 3)
    }

    #[test]
    fn many_threads_are_answered_in_few_batches_each_with_its_own() {
        let machine = Arc::new(Machine::default());
        let gathering = gathering(&machine, usize::MAX);
        let (threads, times) = (40u8, 20u8);
        thread::scope(|scope| {
            for number in 0..threads {
                let gathering = &gathering;
                scope.spawn(move || {
                    for time in 0..times {
                        let many = 1 + usize::from(number + time) % 5;
                        let marks = [number, time, 7].repeat(many);
                        let said = gathering.evaluate(&marks).expect("the machine is there");
                        let all: Vec<f32> = marks.iter().map(|&byte| f32::from(byte)).collect();
                        assert_eq!(said.policy, all);
                        assert_eq!(said.value, vec![f32::from(number); many]);
                        assert!(said.clear.is_empty());
                    }
                });
            }
        });
        let (batches, questions) = (machine.batches.load(Relaxed), 40 * 20);
        assert!(batches < questions / 2, "{batches} batches for {questions} questions");
        assert!(gathering.is_there() && machine.told.lock().unwrap().is_empty());
        let desk = gathering.desk();
        let desk = desk.as_ref().unwrap();
        assert!(desk.under_way == 0 && desk.waiting.is_empty() && desk.idle.len() <= ABREAST);
    }

    #[test]
    fn nobody_waits_for_a_machine_that_is_lost() {
        let machine = Arc::new(Machine::default());
        let gathering = gathering(&machine, 5);
        thread::scope(|scope| {
            for number in 0..40 {
                let gathering = &gathering;
                scope.spawn(move || {
                    while let Some(said) = gathering.evaluate(&[number; 3]) {
                        assert_eq!(said.policy, [f32::from(number); 3]);
                    }
                });
            }
        });
        assert!(!gathering.is_there());
        assert_eq!(*machine.told.lock().unwrap(), ["it is on fire"], "once");
    }
}
