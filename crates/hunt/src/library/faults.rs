//! Faults that both a sanitiser and the semantics must see. Each is made on an object of its own, so that it may stand
//! behind a condition without changing what is known of the rest.

use super::Generator;

impl Generator {
    /// A fault, now and then behind a condition that may be false.
    pub(super) fn fault(&mut self) {
        let condition = self.random.chance(40).then(|| format!("if (g1 % {}u)", 2 + self.random.below(3)));
        self.line(format!("{}{{", condition.map(|text| text + " ").unwrap_or_default()));
        self.depth += 1;
        let size = 2 + self.random.below(14);
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        let text = self.call("malloc", &[size.to_string()]);
        self.line(format!("char *{name} = {text};"));
        let text = self.call("memset", &[name.clone(), "'t'".to_owned(), size.to_string()]);
        self.line(format!("{text};"));
        match self.random.below(8) {
            0 | 1 => self.use_after_free(&name, size),
            2 => self.wrong_free(&name),
            3 => self.use_after_resize(&name, size),
            4 => self.wrong_string(&name, size),
            5 => self.wrong_element(&name, size),
            6 => self.no_object(),
            _ => self.wrong_copy(&name, size),
        }
        self.depth -= 1;
        self.line("}");
    }

    fn use_after_free(&mut self, name: &str, size: usize) {
        let text = self.call("free", &[name.to_owned()]);
        self.line(format!("{text};"));
        self.access(name, size);
    }

    fn use_after_resize(&mut self, name: &str, size: usize) {
        let text = self.call("realloc", &[name.to_owned(), (size + 8).to_string()]);
        self.line(format!("char *more = {text};"));
        self.line("more[0] = 'm';");
        self.access(name, size);
    }

    /// Some access to a whole object.
    fn access(&mut self, name: &str, size: usize) {
        let index = self.random.below(size);
        let text = match self.random.below(8) {
            0 => self.call("free", &[name.to_owned()]),
            1 => self.call("memset", &[name.to_owned(), "1".to_owned(), size.to_string()]),
            2 => self.call("memcpy", &["area".to_owned(), name.to_owned(), "1".to_owned()]),
            3 => self.call("strlen", &[name.to_owned()]),
            4 => self.call("realloc", &[name.to_owned(), "40".to_owned()]),
            5 => format!("{name}[{index}] = 'u'"),
            6 => format!("g0 += (unsigned char){name}[{index}]"),
            _ => self.call("memcmp", &["area".to_owned(), name.to_owned(), "1".to_owned()]),
        };
        self.line(format!("{text};"));
    }

    fn wrong_free(&mut self, name: &str) {
        let wrong = self.random.pick(&["area", "room", "&g0", "interior", "twice"]).to_owned();
        match wrong {
            "twice" => {
                for _ in 0..2 {
                    let text = self.call("free", &[name.to_owned()]);
                    self.line(format!("{text};"));
                }
            }
            "interior" => {
                let text = self.call("free", &[format!("{name} + 1")]);
                self.line(format!("{text};"));
            }
            object => {
                let text = self.call("free", &[object.to_owned()]);
                self.line(format!("{text};"));
            }
        }
    }

    /// A string without an end, or a copy of one that is too long.
    fn wrong_string(&mut self, name: &str, size: usize) {
        let beyond = size + self.random.below(3);
        let text = match self.random.below(5) {
            0 => self.call("strlen", &[name.to_owned()]),
            1 => self.call("strcmp", &[name.to_owned(), name.to_owned()]),
            2 => self.call("strcpy", &[name.to_owned(), format!("\"{}\"", "l".repeat(beyond))]),
            3 => self.call("strncpy", &[name.to_owned(), "\"s\"".to_owned(), (beyond + 1).to_string()]),
            _ => {
                self.line(format!("{name}[{}] = 0;", size - 1));
                self.call("strcat", &[name.to_owned(), "\"+\"".to_owned()])
            }
        };
        self.line(format!("{text};"));
    }

    fn wrong_element(&mut self, name: &str, size: usize) {
        let beyond = size + self.random.below(6);
        let text = match self.random.below(5) {
            0 => format!("{name}[{beyond}] = 'w'"),
            1 => format!("g0 += (unsigned char){name}[{beyond}]"),
            2 => format!("{name}[-{}] = 'w'", 1 + self.random.below(4)),
            3 => "box.name[8u + g0 % 4u] = 'n'".to_owned(),
            _ => "g1 += (unsigned char)area[sizeof area + g0 % 4u]".to_owned(),
        };
        self.line(format!("{text};"));
    }

    /// Access through the null pointer, or a call of it.
    fn no_object(&mut self) {
        self.line("char *none = 0;");
        let text = match self.random.below(4) {
            0 => self.call("strlen", &["none".to_owned()]),
            1 => "*none = 'n'".to_owned(),
            2 => "g0 += (unsigned char)*none".to_owned(),
            _ => {
                self.line("void (*nowhere)(void *) = 0;");
                "nowhere(area)".to_owned()
            }
        };
        self.line(format!("{text};"));
    }

    /// A copy that reads or writes too much, or whose parts overlap.
    fn wrong_copy(&mut self, name: &str, size: usize) {
        let beyond = size + 1 + self.random.below(6);
        let count = beyond.to_string();
        let text = match self.random.below(6) {
            0 => self.call("memset", &[name.to_owned(), "0".to_owned(), count]),
            1 => self.call("memset", &[format!("{name} + {}", size - 1), "0".to_owned(), "2".to_owned()]),
            2 => self.call("memmove", &[name.to_owned(), format!("{name} + 1"), size.to_string()]),
            3 => self.call("memcpy", &[format!("{name} + 1"), name.to_owned(), (size - 1).max(2).to_string()]),
            4 => self.call("memcmp", &[name.to_owned(), name.to_owned(), count]),
            _ => self.call("memchr", &[name.to_owned(), "'q'".to_owned(), count]),
        };
        self.line(format!("{text};"));
    }
}
