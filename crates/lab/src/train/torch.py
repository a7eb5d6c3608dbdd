"""Teaches a network with PyTorch, for `solitree train --backend torch`.

    python3 torch.py check DEVICE
    python3 torch.py teach JOB.json

What is to be done is in the job: the network as a list of layers, the files of
samples and of first weights, where to put the weights, and how to learn. Every
answer is a line of JSON on standard output. DEVICE is auto, cpu or cuda.
"""

import sys

# What lies in the folder it is called from is no module of Python's.
sys.path = [place for place in sys.path if place]

import array
import json
import math
import signal
import struct
import zlib


def say(**what):
    print(json.dumps(what), flush=True)


def fail(text):
    say(error=text)
    sys.exit(3)


def checksum(header, arrays):
    """CRC-32 of the header, then of name, type, shape and bytes of each array."""
    crc = zlib.crc32(header.encode())
    for name, kind, shape, data in arrays:
        crc = zlib.crc32(f"\n{name} {kind} {list(shape)}\n".encode(), crc)
        crc = zlib.crc32(data, crc)
    return f"{crc:08x}"


def read(path):
    """The header of a file of solitree, as text, and its arrays in order: name,
    type, shape and bytes."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        text = json.loads(file.read(length))
        data = memoryview(file.read())
    metadata = text.pop("__metadata__")
    arrays = []
    for name, entry in sorted(text.items(), key=lambda item: item[1]["data_offsets"]):
        start, end = entry["data_offsets"]
        arrays.append((name, entry["dtype"], entry["shape"], data[start:end]))
    if checksum(metadata["solitree"], arrays) != metadata["checksum"]:
        fail(f"{path}: damaged: its checksum does not match")
    return metadata["solitree"], arrays


def write(path, header, arrays):
    """Writes such a file."""
    text = {"__metadata__": {"solitree": header, "checksum": checksum(header, arrays)}}
    end = 0
    for name, kind, shape, data in arrays:
        start, end = end, end + len(data)
        text[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(text).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for _, _, _, data in arrays:
            file.write(data)


def device_of(torch, wanted):
    """The device asked for and its name."""
    if wanted == "cuda" and not torch.cuda.is_available():
        fail("PyTorch finds no CUDA device, and one is demanded")
    if wanted != "cpu" and torch.cuda.is_available():
        return torch.device("cuda"), torch.cuda.get_device_name()
    name = "the CPU" if wanted == "cpu" else "the CPU: it finds no CUDA device"
    return torch.device("cpu"), name


def tensors(torch, arrays):
    """Arrays as tensors. Cells are few enough for signed numbers."""
    kinds = {"F32": "float32", "F16": "float16", "U8": "uint8", "U16": "int16", "U32": "int32"}
    found = {}
    for name, kind, shape, data in arrays:
        flat = torch.frombuffer(bytearray(data), dtype=getattr(torch, kinds[kind]))
        found[name] = flat.reshape(shape)
    return found


class Lessons:
    """Samples on the device: two rows each, the second its mirror image."""

    def __init__(self, torch, path, device):
        header, arrays = read(path)
        self.torch, self.device = torch, device
        self.first, self.colours = json.loads(header)["colours"]
        self.input = json.loads(header)["input"]
        found = tensors(torch, arrays)
        self.marks = found["marks"].to(device)
        self.legal = found["legal"].to(device).bool()
        rows = len(self.marks)
        ends = found["ends"].long()
        counts = torch.diff(ends, prepend=torch.zeros(1, dtype=torch.long))
        owners = torch.repeat_interleave(torch.arange(rows), counts)
        targets = torch.zeros(self.legal.shape)
        targets.index_put_((owners, found["moves"].long()), found["weights"], accumulate=True)
        self.targets = targets.to(device)
        self.values = found["values"].to(device)
        self.cleared = found["cleared"].to(device)

    def __len__(self):
        return len(self.marks) // 2

    def batch(self, which, twins):
        """Planes of some samples and what there is to learn, each as a twin drawn at
        random if asked for: mirrored or not, colours exchanged."""
        torch = self.torch
        rows = 2 * which
        if twins:
            rows = rows + torch.randint(0, 2, rows.shape, device=self.device)
        marks = self.marks[rows].long()
        planes, cells = self.input["planes"], self.legal.shape[1]
        if twins:
            order = torch.rand(len(rows), self.colours, device=self.device).argsort(1)
            becomes = torch.arange(planes, device=self.device).repeat(len(rows), 1)
            becomes[:, self.first : self.first + self.colours] = order + self.first
            marks = becomes.gather(1, marks)
        marks = marks.reshape(len(rows), cells, -1).transpose(1, 2)
        grid = torch.zeros(len(rows), planes, cells, device=self.device).scatter_(1, marks, 1.0)
        grid = grid.reshape(len(rows), planes, self.input["width"], self.input["height"])
        return grid, (self.legal[rows], self.targets[rows], self.values[which], self.cleared[which])


def forward(torch, net, weights, planes, learning):
    """What each head says: the logits of all cells, a value, the logit of a cleared board."""
    functional = torch.nn.functional
    border = net["border"]
    planes = functional.pad(planes, (border, border, border, border))
    planes = planes.contiguous(memory_format=torch.channels_last)
    done = []
    for layer in net["layers"]:
        taken = done[layer["from"]] if "from" in layer else planes
        weight, bias = weights.get(layer.get("weight")), weights.get(layer.get("bias"))
        match layer["op"]:
            case "conv":
                done.append(functional.conv2d(taken, weight, bias, padding=layer["pad"]))
            case "norm":
                seen = weights[layer["mean"]], weights[layer["variance"]]
                done.append(functional.batch_norm(taken, *seen, weight, bias, learning, 0.1, 1e-5))
            case "relu":
                done.append(functional.relu(taken))
            case "elu":
                done.append(functional.elu(taken))
            case "add":
                done.append(taken + done[layer["other"]])
            case "mean":
                done.append(taken.mean((2, 3)))
            case "dense":
                done.append(functional.linear(taken.flatten(1), weight, bias))
            case other:
                fail(f"unknown layer {other}")
    heads = (net["policy"], net["value"], net["clear"])
    return [None if head is None else done[head].flatten(1).float() for head in heads]


def losses(torch, job, heads, lesson):
    """The loss of each row, and whether the likeliest move is the one to learn, or one of
    several. That of the policy is the cross entropy over legal moves, that of the value
    twice Huber's on the network's scale, that of a cleared board the cross entropy."""
    functional = torch.nn.functional
    (logits, value, clear), (legal, targets, values, cleared) = heads, lesson
    logits = logits.masked_fill(~legal, -1e9)
    loss = -(targets * torch.log_softmax(logits, 1)).sum(1)
    said = targets.gather(1, logits.argmax(1, keepdim=True)).squeeze(1)
    if value is not None:
        mean, spread = job["scale"]
        known = ~values.isnan()
        wanted = torch.where(known, (values - mean) / spread, 0.0)
        error = functional.huber_loss(value.squeeze(1), wanted, reduction="none")
        loss = loss + 2 * job["value_weight"] * error * known
    if clear is not None:
        known, wanted = cleared < 2, (cleared == 1).float()
        say_it = functional.binary_cross_entropy_with_logits
        entropy = say_it(clear.squeeze(1), wanted, reduction="none")
        loss = loss + job["clear_weight"] * entropy * known
    return loss, said >= targets.max(1).values - 1e-6


def measure(torch, job, weights, lessons):
    """Mean loss and share of right answers."""
    loss, right = 0.0, 0
    with torch.no_grad():
        for which in torch.arange(len(lessons), device=lessons.device).split(job["batch"]):
            planes, lesson = lessons.batch(which, twins=False)
            heads = forward(torch, job["net"], weights, planes, learning=False)
            lost, hits = losses(torch, job, heads, lesson)
            loss += lost.sum().item()
            right += hits.sum().item()
    return loss / len(lessons), right / len(lessons)


def teach(torch, job):
    torch.manual_seed(job["seed"] % 2**63)
    torch.set_num_threads(job["threads"])
    device, _ = device_of(torch, job["device"])
    torch.backends.cudnn.benchmark = True
    net = job["net"]
    training = Lessons(torch, job["training"], device)
    validation = Lessons(torch, job["validation"], device)
    header, arrays = read(job["first"])
    weights = {name: data.to(device) for name, data in tensors(torch, arrays).items()}
    seen = [layer[key] for layer in net["layers"] for key in ("mean", "variance") if key in layer]
    learnt = [weights[name].requires_grad_() for name in weights if name not in seen]

    def optimiser(rate):
        return torch.optim.Adam(learnt, lr=rate, betas=(0.9, 0.999), eps=1e-8)

    def keep():
        return {name: data.detach().clone() for name, data in weights.items()}

    rate, cuts = job["learning_rate"], job["cuts"]
    adam, kept, lowest, since = optimiser(rate), keep(), float("inf"), 0
    for epoch in range(1, job["epochs"] + 1):
        found = []
        for which in torch.randperm(len(training), device=device).split(job["batch"]):
            planes, lesson = training.batch(which, twins=True)
            # Tensor cores take numbers of half precision; weights and sums stay single.
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                heads = forward(torch, net, weights, planes, learning=True)
            loss = losses(torch, job, heads, lesson)[0].mean()
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
            found.append(loss.detach() * len(which))
        found = torch.stack(found)
        if not found.isfinite().all():
            say(epoch=epoch, not_finite=int((~found.isfinite()).nonzero()[0]) + 1)
            sys.exit(1)
        loss, accuracy = measure(torch, job, weights, validation)
        if not math.isfinite(loss):
            say(epoch=epoch, not_finite=len(found))
            sys.exit(1)
        best = loss < lowest
        if best:
            lowest, since, kept = loss, epoch, keep()
        mean = found.sum().item() / len(training)
        say(epoch=epoch, training=mean, validation=loss, accuracy=accuracy, best=best)
        if epoch - since >= max(1, job["patience"]):
            if cuts == 0:
                break
            cuts, since, rate = cuts - 1, epoch, rate / 4
            with torch.no_grad():
                for name, data in weights.items():
                    data.copy_(kept[name])
            adam = optimiser(rate)
    numbers = {name: array.array("f", data.flatten().tolist()) for name, data in kept.items()}
    shapes = {name: list(data.shape) for name, data in kept.items()}
    write(job["out"], header, [(n, "F32", shapes[n], numbers[n].tobytes()) for n in kept])


def is_full(torch, error):
    """Whether an error says that memory has run out, in whichever way it does."""
    kinds = MemoryError, torch.cuda.OutOfMemoryError
    words = "out of memory", "can't allocate memory"
    return isinstance(error, kinds) or any(word in str(error) for word in words)


def main():
    # Ctrl-C reaches this process too, but solitree is the one who ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import torch
    except (ImportError, OSError) as error:
        hint = "--python names another interpreter, --backend own needs none"
        fail(f"PyTorch cannot be imported: {error} ({hint})")
    if sys.argv[1] == "check":
        _, name = device_of(torch, sys.argv[2])
        say(torch=torch.__version__, device=name)
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        job = json.load(file)
    try:
        teach(torch, job)
    except (RuntimeError, MemoryError) as error:
        if not is_full(torch, error):
            raise
        fail("not enough memory to learn: a smaller --batch or --buffer may help")


if __name__ == "__main__":
    main()
