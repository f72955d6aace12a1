//! Random programs that use the library directly and through pointers: the heap, copies of bytes, strings. About half of
//! them contain one fault that a sanitiser sees: use after free, a wrong `free`, or an access out of bounds by a few
//! bytes, so that it stays in the zone that sanitisers put around objects.
//!
//! Everything that is read has been written, sizes are constants, and the generator knows which buffers are alive, how
//! large they are, and where at the latest their first zero is; so what is meant to be right is right.

mod faults;
mod ways;

use crate::program::{GeneratedProgram, ObservedGlobal};
use crate::random::Random;
use ways::Ways;

/// A buffer of characters.
#[derive(Clone)]
struct Buffer {
    /// An expression for its address.
    name: String,
    size: usize,
    /// An index at or before which there is a zero, if there is one.
    zero: Option<usize>,
}

/// What a pointer variable holds.
#[derive(Clone)]
enum PointerSlot {
    Null,
    Freed,
    Live(Buffer),
}

struct Generator {
    random: Random,
    ways: Ways,
    slots: Vec<PointerSlot>,
    /// Buffers that live as long as the program.
    fixed: Vec<Buffer>,
    lines: Vec<String>,
    depth: usize,
    temporaries: usize,
}

/// The program of a seed.
pub fn library_program(seed: u64) -> GeneratedProgram {
    let mut random = Random::new(seed ^ 0x11b2_a2ee);
    let sizes: Vec<usize> = (0..2).map(|_| 9 + random.below(16)).collect();
    let fixed = ["area", "room"]
        .iter()
        .zip(&sizes)
        .map(|(name, size)| Buffer { name: (*name).to_owned(), size: *size, zero: Some(0) })
        .collect();
    let mut generator = Generator {
        random,
        ways: Ways::new(),
        slots: vec![PointerSlot::Null, PointerSlot::Null, PointerSlot::Null],
        fixed,
        lines: Vec::new(),
        depth: 1,
        temporaries: 0,
    };
    generator.body();
    // Declarations instead of headers, which would take most of the time.
    let mut text = String::from("typedef unsigned long size_t;\n");
    text.push_str(&ways::prototypes());
    text.push_str("static unsigned g0 = 1u, g1 = 2u, g2 = 3u, calls;\n");
    text.push_str(&format!("static char area[{}];\n", sizes[0]));
    text.push_str("static struct { char name[8]; unsigned tag; } box;\nstatic char *p0, *p1, *p2;\n");
    text.push_str(&generator.ways.declarations());
    text.push_str(&format!("int main(void) {{\n    char room[{}] = {{ 0 }};\n    unsigned i;\n", sizes[1]));
    for line in &generator.lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("    return 0;\n}\n");
    let observed = ["g0", "g1", "g2", "calls", "area[0]", "area[8]", "box.tag"];
    let globals = observed
        .map(|name| ObservedGlobal { expression: name.to_owned(), may_exceed_long_long: false })
        .into_iter()
        .collect();
    GeneratedProgram { seed, text, globals, inputs: Vec::new(), step_limit: 1, features: Default::default() }
}

impl Generator {
    fn line(&mut self, text: impl AsRef<str>) {
        let indent = "    ".repeat(self.depth);
        self.lines.push(format!("{indent}{}", text.as_ref()));
    }

    fn call(&mut self, name: &'static str, arguments: &[String]) -> String {
        self.ways.call(&mut self.random, name, arguments)
    }

    fn body(&mut self) {
        let statements = 6 + self.random.below(14);
        let fault_at = self.random.chance(55).then(|| self.random.below(statements));
        for at in 0..statements {
            if fault_at == Some(at) {
                self.fault();
            }
            self.statement();
        }
        if self.random.chance(20) {
            let text = match self.random.below(3) {
                0 => self.call("abort", &[]),
                _ => self.call("exit", &["0".to_owned()]),
            };
            self.line(format!("if (g0 % 3u) {text};"));
            self.line("g2 += 5u;");
        }
    }

    fn statement(&mut self) {
        match self.random.below(22) {
            0..=3 => self.allocate(),
            4 => self.resize(),
            5 | 6 => self.release(),
            7 | 8 => self.fill(),
            9..=11 => self.copy(),
            12..=14 => self.write_string(),
            15 | 16 => self.read_string(),
            17 => self.write_element(),
            18 => {
                let text = self.ways.comparison(&mut self.random);
                self.line(format!("g2 = g2 * 2u + ({text});"));
            }
            19 => self.choice(),
            20 => self.fill_by_loop(),
            _ => self.read_bytes(),
        }
    }

    /// A buffer that is alive, and where it is kept.
    fn buffer(&mut self) -> (usize, Buffer) {
        let live: Vec<(usize, Buffer)> = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(at, slot)| match slot {
                PointerSlot::Live(buffer) => Some((at, buffer.clone())),
                _ => None,
            })
            .collect();
        if !live.is_empty() && self.random.chance(75) {
            return self.random.pick(&live).clone();
        }
        let at = self.random.below(self.fixed.len());
        (self.slots.len() + at, self.fixed[at].clone())
    }

    fn set_zero(&mut self, at: usize, zero: Option<usize>) {
        match at.checked_sub(self.slots.len()) {
            Some(fixed) => self.fixed[fixed].zero = zero,
            None => {
                if let PointerSlot::Live(buffer) = &mut self.slots[at] {
                    buffer.zero = zero;
                }
            }
        }
    }

    /// What is known of the first zero after the bytes of a range were changed.
    fn changed(&mut self, at: usize, buffer: &Buffer, from: usize, length: usize) {
        let kept = buffer.zero.filter(|zero| *zero < from || *zero >= from + length);
        self.set_zero(at, kept);
    }

    /// A buffer with a string in it.
    fn string(&mut self) -> (usize, Buffer, usize) {
        let (at, buffer) = self.buffer();
        if let Some(zero) = buffer.zero {
            return (at, buffer, zero);
        }
        let zero = self.random.below(buffer.size);
        self.line(format!("{}[{zero}] = 0;", buffer.name));
        self.set_zero(at, Some(zero));
        let buffer = Buffer { zero: Some(zero), ..buffer };
        (at, buffer, zero)
    }

    fn character(&mut self) -> String {
        format!("'{}'", *self.random.pick(&['a', 'b', 'x', '0', '1', '7', ' ']))
    }

    fn allocate(&mut self) {
        let at = self.random.below(self.slots.len());
        if let PointerSlot::Live(_) = self.slots[at]
            && self.random.chance(70)
        {
            let text = self.call("free", &[format!("p{at}")]);
            self.line(format!("{text};"));
        }
        let size = 1 + self.random.below(24);
        let name = format!("p{at}");
        let mut zero = None;
        if self.random.chance(30) {
            let (count, each) = *self.random.pick(&[(size, 1), (1, size)]);
            let text = self.call("calloc", &[count.to_string(), each.to_string()]);
            self.line(format!("{name} = {text};"));
            zero = Some(0);
        } else {
            let text = self.call("malloc", &[size.to_string()]);
            self.line(format!("{name} = {text};"));
            let byte = self.character();
            let text = self.call("memset", &[name.clone(), byte, size.to_string()]);
            self.line(format!("{text};"));
        }
        self.slots[at] = PointerSlot::Live(Buffer { name, size, zero });
    }

    fn resize(&mut self) {
        let at = self.random.below(self.slots.len());
        let PointerSlot::Live(buffer) = self.slots[at].clone() else { return self.allocate() };
        let size = 1 + self.random.below(28);
        let name = buffer.name;
        let text = self.call("realloc", &[name.clone(), size.to_string()]);
        self.line(format!("{name} = {text};"));
        if size > buffer.size {
            let arguments = [format!("{name} + {}", buffer.size), "'r'".to_owned(), (size - buffer.size).to_string()];
            let text = self.call("memset", &arguments);
            self.line(format!("{text};"));
        }
        let zero = buffer.zero.filter(|zero| *zero < size);
        self.slots[at] = PointerSlot::Live(Buffer { name, size, zero });
    }

    fn release(&mut self) {
        let at = self.random.below(self.slots.len());
        if let PointerSlot::Freed = self.slots[at] {
            return self.allocate();
        }
        let text = self.call("free", &[format!("p{at}")]);
        self.line(format!("{text};"));
        self.slots[at] =
            if matches!(self.slots[at], PointerSlot::Null) { PointerSlot::Null } else { PointerSlot::Freed };
        if self.random.chance(50) {
            self.line(format!("p{at} = 0;"));
            self.slots[at] = PointerSlot::Null;
        }
    }

    fn range(&mut self, size: usize) -> (usize, usize) {
        let from = self.random.below(size);
        (from, self.random.below(size - from + 1))
    }

    fn fill(&mut self) {
        let (at, buffer) = self.buffer();
        let (from, length) = self.range(buffer.size);
        let byte = self.character();
        let text = self.call("memset", &[format!("{} + {from}", buffer.name), byte, length.to_string()]);
        self.line(format!("{text};"));
        self.changed(at, &buffer, from, length);
    }

    fn fill_by_loop(&mut self) {
        let (at, buffer) = self.buffer();
        let length = 1 + self.random.below(buffer.size);
        self.line(format!("for (i = 0; i < {length}u; i++) {}[i] = (char)('a' + (g0 + i) % 5u);", buffer.name));
        self.changed(at, &buffer, 0, length);
    }

    fn copy(&mut self) {
        let ((at, to), (_, from)) = (self.buffer(), self.buffer());
        let (start, length) = self.range(to.size);
        let length = length.min(from.size);
        let source = self.random.below(from.size - length + 1);
        let same = to.name == from.name;
        let function = if same || self.random.chance(40) { "memmove" } else { "memcpy" };
        let arguments = [format!("{} + {start}", to.name), format!("{} + {source}", from.name), length.to_string()];
        let text = self.call(function, &arguments);
        self.line(format!("{text};"));
        self.changed(at, &to, start, length);
    }

    fn write_string(&mut self) {
        let (_, from, zero) = self.string();
        let (at, to) = self.buffer();
        if to.name == from.name {
            return self.write_element();
        }
        let (target, source) = (to.name.clone(), from.name.clone());
        let room = to.zero.map_or(0, |end| to.size - end);
        match self.random.below(4) {
            0 if zero < to.size => {
                let text = self.call("strcpy", &[target, source]);
                self.line(format!("{text};"));
                self.set_zero(at, Some(zero));
            }
            1 if zero < room => {
                let end = to.zero.unwrap_or(0) + zero;
                let text = self.call("strcat", &[target, source]);
                self.line(format!("{text};"));
                self.set_zero(at, Some(end));
            }
            2 if room > 1 => {
                let most = self.random.below(room);
                let end = to.zero.unwrap_or(0) + most.min(zero);
                let text = self.call("strncat", &[target, source, most.to_string()]);
                self.line(format!("{text};"));
                self.set_zero(at, Some(end));
            }
            _ => {
                let most = self.random.below(to.size + 1);
                let text = self.call("strncpy", &[target, source, most.to_string()]);
                self.line(format!("{text};"));
                let kept = to.zero.filter(|end| *end >= most);
                self.set_zero(at, if most > zero { Some(zero) } else { kept });
            }
        }
    }

    fn read_string(&mut self) {
        let (_, one, zero) = self.string();
        let (_, two, _) = self.string();
        let byte = self.character();
        let text = match self.random.below(8) {
            0 => self.call("strlen", &[one.name]),
            1 => {
                let most = self.random.below(30).to_string();
                self.call("strnlen", &[one.name, most])
            }
            2 => format!("({} > 0)", self.call("strcmp", &[one.name, two.name])),
            3 => {
                let most = self.random.below(30).to_string();
                format!("({} < 0)", self.call("strncmp", &[one.name, two.name, most]))
            }
            4 => format!("({} != 0)", self.call("strchr", &[one.name, byte])),
            5 => format!("({} != 0)", self.call("strrchr", &[one.name, byte])),
            6 if zero <= 8 => self.call("atoi", &[one.name]),
            _ => {
                let text = self.call("toupper", &[format!("{}[0]", one.name)]);
                format!("{} + ({} != 0)", text, self.call("isdigit", &[format!("{}[{zero}]", one.name)]))
            }
        };
        self.line(format!("g0 = g0 * 7u + (unsigned)({text});"));
    }

    fn read_bytes(&mut self) {
        let ((_, one), (_, two)) = (self.buffer(), self.buffer());
        let length = self.random.below(one.size.min(two.size) + 1);
        let text = match self.random.below(4) {
            0 => format!("({} == 0)", self.call("memcmp", &[one.name, two.name, length.to_string()])),
            1 => {
                let byte = self.character();
                format!("({} != 0)", self.call("memchr", &[one.name, byte, length.to_string()]))
            }
            2 => self.call("abs", &[format!("(int)(g0 % 9u) - {length}")]),
            _ => {
                let index = self.random.below(one.size);
                format!("(unsigned char){}[{index}]", one.name)
            }
        };
        self.line(format!("g1 = g1 * 5u + (unsigned)({text});"));
    }

    fn write_element(&mut self) {
        let (at, buffer) = self.buffer();
        let index = self.random.below(buffer.size);
        let byte = self.character();
        self.line(format!("{}[{index}] = {byte};", buffer.name));
        self.changed(at, &buffer, index, 1);
        if self.random.chance(30) {
            let index = self.random.below(8);
            self.line(format!("box.name[{index}] = {}[0]; box.tag += (unsigned char)box.name[{index}];", buffer.name));
        }
    }

    /// Reads on one of two ways, which only the run knows.
    fn choice(&mut self) {
        let modulus = 2 + self.random.below(3);
        self.line(format!("if (g0 % {modulus}u) {{"));
        self.depth += 1;
        self.read_bytes();
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.read_bytes();
        self.depth -= 1;
        self.line("}");
    }
}
