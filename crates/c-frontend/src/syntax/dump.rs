//! The syntax tree as text for tests: expressions and statements as s-expressions, declarators read aloud from the name
//! outwards (`x: array[3] pointer int`).

use super::ast::*;
use super::symbols::{Symbol, Symbols};

/// Writes parts of a tree.
pub(super) struct TreeDump<'a> {
    pub ast: &'a Ast,
    pub symbols: &'a Symbols,
}

impl TreeDump<'_> {
    /// All external declarations, with a space between them.
    pub fn unit(&self) -> String {
        spaced(self.ast.items.iter().map(|item| match item {
            ExternalDeclaration::Declaration(declaration) => self.declaration(declaration),
            ExternalDeclaration::Asm(_) => "(asm)".to_owned(),
            ExternalDeclaration::Function(function) => {
                let old_style: String = function
                    .old_style
                    .iter()
                    .map(|declaration| format!("{} ", self.declaration(declaration)))
                    .collect();
                let head = self.declared(&function.specifiers, &function.declarator);
                format!("(define {head} {old_style}{})", self.statement(function.body))
            }
        }))
    }

    fn name(&self, name: Symbol) -> &str {
        self.symbols.text(name)
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        match declaration {
            Declaration::StaticAssert { condition, message, .. } => match message {
                Some(message) => format!("(assert {} {message:?})", self.expr(*condition)),
                None => format!("(assert {})", self.expr(*condition)),
            },
            Declaration::Declarators { specifiers, declarators, .. } if declarators.is_empty() => {
                format!("(declare {})", self.specifiers(specifiers))
            }
            Declaration::Declarators { specifiers, declarators, .. } => {
                let parts = declarators.iter().map(|part| {
                    let head = self.declared(specifiers, &part.declarator);
                    match &part.initializer {
                        Some(initializer) => format!("{head} = {}", self.initializer(initializer)),
                        None => head,
                    }
                });
                format!("(declare {})", parts.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn declared(&self, specifiers: &Specifiers, declarator: &Declarator) -> String {
        let mut text = declarator.name.map(|name| format!("{}: ", self.name(name))).unwrap_or_default();
        for derived in &declarator.derived {
            text += &match derived {
                Derived::Pointer(qualifiers) => format!("pointer {}", qualifier_words(*qualifiers)),
                Derived::Array { length: ArrayLength::Unknown, .. } => "array[] ".to_owned(),
                Derived::Array { length: ArrayLength::Star, .. } => "array[*] ".to_owned(),
                Derived::Array { length: ArrayLength::Expr(length), .. } => format!("array[{}] ", self.expr(*length)),
                Derived::Function(list) => format!("function{} ", self.parameters(list)),
            };
        }
        text += &self.specifiers(specifiers);
        text + &self.attributes(&declarator.attributes)
    }

    fn parameters(&self, list: &FunctionDerived) -> String {
        if !list.prototype {
            return format!("?({})", spaced(list.identifiers.iter().map(|&(name, _)| self.name(name).to_owned())));
        }
        let parameters = list.parameters.iter().map(|part| self.declared(&part.specifiers, &part.declarator));
        let dots = list.variadic.then(|| "...".to_owned());
        format!("({})", parameters.chain(dots).collect::<Vec<_>>().join(", "))
    }

    fn specifiers(&self, specifiers: &Specifiers) -> String {
        let mut text = specifiers.storage.map(|storage| format!("{storage:?} ").to_lowercase()).unwrap_or_default();
        let flags =
            [(specifiers.thread_local, "thread "), (specifiers.inline, "inline "), (specifiers.noreturn, "noreturn ")];
        text.extend(flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word));
        for alignment in &specifiers.alignment {
            text += &match alignment {
                Alignment::Type(ty) => format!("align({}) ", self.type_name(ty)),
                Alignment::Constant(value) => format!("align({}) ", self.expr(*value)),
            };
        }
        text += &qualifier_words(specifiers.qualifiers);
        text += &self.type_specifier(&specifiers.ty);
        text + &self.attributes(&specifiers.attributes)
    }

    fn type_specifier(&self, ty: &TypeSpecifier) -> String {
        match ty {
            TypeSpecifier::Void => "void".to_owned(),
            TypeSpecifier::Bool => "_Bool".to_owned(),
            TypeSpecifier::Integer { size, signed } => {
                let sign = match signed {
                    None => "",
                    Some(true) => "signed-",
                    Some(false) => "unsigned-",
                };
                format!("{sign}{}", format!("{size:?}").to_lowercase())
            }
            TypeSpecifier::Float(size) => format!("{size:?}").to_lowercase(),
            TypeSpecifier::Record(record) => {
                let kind = format!("{:?}", record.kind).to_lowercase();
                let tag = record.tag.map(|(tag, _)| format!(" {}", self.name(tag))).unwrap_or_default();
                let members = record.members.as_ref().map(|members| {
                    format!(" {{{}}}", members.iter().map(|part| self.member(part)).collect::<Vec<_>>().join("; "))
                });
                format!("({kind}{tag}{}{})", members.unwrap_or_default(), self.attributes(&record.attributes))
            }
            TypeSpecifier::Enum(enumeration) => {
                let tag = enumeration.tag.map(|(tag, _)| format!(" {}", self.name(tag))).unwrap_or_default();
                let constants = enumeration.enumerators.as_ref().map(|constants| {
                    let constant = |part: &Enumerator| match part.value {
                        Some(value) => format!("{}={}", self.name(part.name), self.expr(value)),
                        None => self.name(part.name).to_owned(),
                    };
                    format!(" {{{}}}", spaced(constants.iter().map(constant)))
                });
                format!("(enum{tag}{})", constants.unwrap_or_default())
            }
            TypeSpecifier::Name(name) => format!("'{}", self.name(*name)),
            TypeSpecifier::TypeofExpr(operand) => format!("(typeof {})", self.expr(*operand)),
            TypeSpecifier::TypeofType(ty) => format!("(typeof-type {})", self.type_name(ty)),
            TypeSpecifier::Atomic(ty) => format!("(atomic {})", self.type_name(ty)),
            TypeSpecifier::VaList => "va-list".to_owned(),
            TypeSpecifier::Auto => "auto-type".to_owned(),
            TypeSpecifier::Missing => "missing".to_owned(),
        }
    }

    fn member(&self, member: &MemberDeclaration) -> String {
        match member {
            MemberDeclaration::StaticAssert(declaration) => self.declaration(declaration),
            MemberDeclaration::Members { specifiers, declarators, .. } if declarators.is_empty() => {
                self.specifiers(specifiers)
            }
            MemberDeclaration::Members { specifiers, declarators, .. } => {
                let parts = declarators.iter().map(|part| {
                    let head = self.declared(specifiers, &part.declarator);
                    part.width.map(|width| format!("{head} :{}", self.expr(width))).unwrap_or(head)
                });
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let one = |attribute: &Attribute| match attribute.arguments.as_slice() {
            [] => format!(" @{}", attribute.name),
            list => format!(" @{}({})", attribute.name, spaced(list.iter().map(|&argument| self.expr(argument)))),
        };
        attributes.iter().map(one).collect()
    }

    fn type_name(&self, ty: &TypeName) -> String {
        self.declared(&ty.specifiers, &ty.declarator)
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Expr(value) => self.expr(*value),
            Initializer::List { items, .. } => {
                let items = items.iter().map(|(path, value)| format!("{}{}", self.path(path), self.initializer(value)));
                format!("{{{}}}", spaced(items))
            }
        }
    }

    fn path(&self, path: &[Designator]) -> String {
        let steps: String = path
            .iter()
            .map(|step| match step {
                Designator::Member(member, _) => format!(".{}", self.name(*member)),
                Designator::Index(index) => format!("[{}]", self.expr(*index)),
                Designator::Range(first, last) => format!("[{}...{}]", self.expr(*first), self.expr(*last)),
            })
            .collect();
        if steps.is_empty() { steps } else { steps + "=" }
    }

    /// One expression.
    pub fn expr(&self, id: ExprId) -> String {
        let one = |word: &str, operand: ExprId| format!("({word} {})", self.expr(operand));
        let two =
            |word: &str, left: ExprId, right: ExprId| format!("({word} {} {})", self.expr(left), self.expr(right));
        match &self.ast.exprs[id].kind {
            ExprKind::Identifier(name) => self.name(*name).to_owned(),
            ExprKind::Integer(literal) => {
                let base = if literal.decimal { "" } else { "#" };
                let suffix = if literal.unsigned { "u" } else { "" };
                format!("{base}{}{suffix}{}", literal.value, "l".repeat(literal.longs.into()))
            }
            ExprKind::Float(literal) => format!("{:?}:{:?}", literal.value, literal.size).to_lowercase(),
            ExprKind::Character { value, encoding } => format!("{}'{value}'", prefix(*encoding)),
            ExprKind::String { units, encoding } => {
                let text: String = units.iter().filter_map(|&unit| char::from_u32(unit)).collect();
                format!("{}{text:?}", prefix(*encoding))
            }
            ExprKind::Binary(op, left, right) => two(op.text(), *left, *right),
            ExprKind::Assign(op, left, right) => {
                two(&format!("{}=", op.map(BinaryOp::text).unwrap_or_default()), *left, *right)
            }
            ExprKind::Unary(op, operand) => {
                let word = match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::LogicalNot => "!",
                    UnaryOp::Dereference => "*",
                    UnaryOp::AddressOf => "&",
                    UnaryOp::Real => "real",
                    UnaryOp::Imaginary => "imaginary",
                };
                one(word, *operand)
            }
            ExprKind::Increment { prefix, up, operand } => {
                let place = if *prefix { "pre" } else { "post" };
                one(&format!("{place}{}", if *up { "++" } else { "--" }), *operand)
            }
            ExprKind::Conditional { condition, then: None, otherwise } => two("?:", *condition, *otherwise),
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                format!("(? {} {} {})", self.expr(*condition), self.expr(*then), self.expr(*otherwise))
            }
            ExprKind::Cast(ty, operand) => format!("(cast [{}] {})", self.type_name(ty), self.expr(*operand)),
            ExprKind::CompoundLiteral(ty, value) => {
                format!("(literal [{}] {})", self.type_name(ty), self.initializer(value))
            }
            ExprKind::Call(function, arguments) => {
                let all = [*function].into_iter().chain(arguments.iter().copied());
                format!("(call {})", spaced(all.map(|part| self.expr(part))))
            }
            ExprKind::Index(left, right) => two("index", *left, *right),
            ExprKind::Member { base, arrow, member, .. } => {
                format!("({} {} {})", if *arrow { "->" } else { "." }, self.expr(*base), self.name(*member))
            }
            ExprKind::SizeofExpr(operand) => one("sizeof", *operand),
            ExprKind::SizeofType(ty) => format!("(sizeof [{}])", self.type_name(ty)),
            ExprKind::AlignofType(ty) => format!("(alignof [{}])", self.type_name(ty)),
            ExprKind::AlignofExpr(operand) => one("alignof", *operand),
            ExprKind::Comma(left, right) => two(",", *left, *right),
            ExprKind::Generic(control, associations) => {
                let parts = associations.iter().map(|(ty, result)| {
                    let ty = ty.as_ref().map_or("default".to_owned(), |ty| self.type_name(ty));
                    format!(" [{ty}] {}", self.expr(*result))
                });
                format!("(generic {}{})", self.expr(*control), parts.collect::<String>())
            }
            ExprKind::Statement(block) => format!("(value-of {})", self.statement(*block)),
            ExprKind::LabelAddress(label) => format!("(&& {})", self.name(*label)),
            ExprKind::VaArg(list, ty) => format!("(va-arg {} [{}])", self.expr(*list), self.type_name(ty)),
            ExprKind::Offsetof(ty, path) => format!("(offsetof [{}] {})", self.type_name(ty), self.path(path)),
            ExprKind::TypesCompatible(first, second) => {
                format!("(compatible [{}] [{}])", self.type_name(first), self.type_name(second))
            }
            ExprKind::Choose(condition, then, otherwise) => {
                format!("(choose {} {} {})", self.expr(*condition), self.expr(*then), self.expr(*otherwise))
            }
        }
    }

    /// One statement.
    pub fn statement(&self, id: StmtId) -> String {
        match &self.ast.statements[id].kind {
            StmtKind::Compound(items) => {
                let items = items.iter().map(|item| match item {
                    BlockItem::Declaration(declaration) => self.declaration(declaration),
                    BlockItem::Statement(statement) => self.statement(*statement),
                    BlockItem::NestedFunction(_) => "(nested-function)".to_owned(),
                });
                format!("{{{}}}", spaced(items))
            }
            StmtKind::Expression(None) => "()".to_owned(),
            StmtKind::Expression(Some(value)) => self.expr(*value),
            StmtKind::If { branches, otherwise } => {
                let branches = branches
                    .iter()
                    .map(|&(condition, branch)| format!("{} {}", self.expr(condition), self.statement(branch)));
                let otherwise = otherwise.map(|branch| format!("else {}", self.statement(branch)));
                format!("(if {})", spaced(branches.chain(otherwise)))
            }
            StmtKind::Switch(control, body) => format!("(switch {} {})", self.expr(*control), self.statement(*body)),
            StmtKind::While(condition, body) => format!("(while {} {})", self.expr(*condition), self.statement(*body)),
            StmtKind::DoWhile(body, condition) => format!("(do {} {})", self.statement(*body), self.expr(*condition)),
            StmtKind::For { init, condition, step, body } => {
                let init = match init {
                    None => "()".to_owned(),
                    Some(ForInit::Declaration(declaration)) => self.declaration(declaration),
                    Some(ForInit::Expression(value)) => self.expr(*value),
                };
                let part = |part: &Option<ExprId>| part.map_or("()".to_owned(), |value| self.expr(value));
                format!("(for {init} {} {} {})", part(condition), part(step), self.statement(*body))
            }
            StmtKind::Goto(label, _) => format!("(goto {})", self.name(*label)),
            StmtKind::ComputedGoto(target) => format!("(goto* {})", self.expr(*target)),
            StmtKind::Continue => "(continue)".to_owned(),
            StmtKind::Break => "(break)".to_owned(),
            StmtKind::Return(None) => "(return)".to_owned(),
            StmtKind::Return(Some(value)) => format!("(return {})", self.expr(*value)),
            StmtKind::Labeled(labels, statement) => {
                let labels = labels.iter().map(|label| match label {
                    JumpLabel::Name(name, _) => self.name(*name).to_owned(),
                    JumpLabel::Case(value, None, _) => format!("case {}", self.expr(*value)),
                    JumpLabel::Case(first, Some(last), _) => {
                        format!("case {}...{}", self.expr(*first), self.expr(*last))
                    }
                    JumpLabel::Default(_) => "default".to_owned(),
                });
                format!("(label [{}] {})", labels.collect::<Vec<_>>().join(", "), self.statement(*statement))
            }
            StmtKind::Asm(asm) => {
                let operands = |list: &[(String, ExprId)]| {
                    spaced(list.iter().map(|(constraint, value)| format!("{constraint:?} {}", self.expr(*value))))
                };
                let labels = spaced(asm.labels.iter().map(|&label| self.name(label).to_owned()));
                let clobbers = spaced(asm.clobbers.iter().cloned());
                format!("(asm [{}] [{}] [{clobbers}] [{labels}])", operands(&asm.outputs), operands(&asm.inputs))
            }
        }
    }
}

fn spaced(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

fn prefix(encoding: CharPrefix) -> &'static str {
    match encoding {
        CharPrefix::Plain => "",
        CharPrefix::Wide => "L",
        CharPrefix::Utf16 => "u",
        CharPrefix::Utf32 => "U",
    }
}

fn qualifier_words(qualifiers: Qualifiers) -> String {
    let words = [
        (qualifiers.is_const, "const "),
        (qualifiers.is_volatile, "volatile "),
        (qualifiers.is_restrict, "restrict "),
        (qualifiers.is_atomic, "atomic "),
    ];
    words.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect()
}
