// A grammar for colours, outlines and selections. It knows declarations, brackets, strings with holes, and words; inside an
// expression it does not decide what the offside rule ends, which needs the compiler's own parser.
//
// The scanner (src/scanner.c) tells where a declaration starts, and reads block comments, which nest.

const letter = "a-zA-Z_\\u00aa\\u00b5\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02af\\u0370-\\u03ba\\u03bc-\\u1fff\\u2102-\\u2138\\u3040-\\ud7ff\\u{1d400}-\\u{1d7ff}";
const more = letter + "0-9λ\\u0300-\\u036f\\u2080-\\u209c";

module.exports = grammar({
  name: "fluxion",

  externals: ($) => [$._top, $.block_comment, $._in_string],

  extras: ($) => [/[\s\ufeff]/, $.doc_comment, $.comment, $.block_comment],

  word: ($) => $.identifier,

  rules: {
    source_file: ($) => repeat(seq($._top, $._declaration)),

    _declaration: ($) => choice($.import, $.definition, $.type_declaration, $.data_declaration, $.expression),

    import: ($) =>
      seq(
        "import",
        field("module", choice($.identifier, $.string)),
        optional(seq("as", field("alias", choice($.identifier, $.type_identifier)))),
        optional($.parenthesized),
      ),

    definition: ($) =>
      prec(1, seq("let", optional("rec"), field("name", choice($.identifier, $.parenthesized, $.braced, $.bracketed, "_", $.type_identifier)),
        repeat($._head), "=", field("body", $.expression))),

    // What stands between the name of a definition and its equals sign: parameters and types.
    _head: ($) =>
      choice($.identifier, $.type_identifier, $.number, $.parenthesized, $.bracketed, $.braced, $.boolean, $.string, "_", ":", "->", "=>", ".", ",", "as", "*", "+", "-", "^", "×", "|", $._symbol),

    type_declaration: ($) =>
      seq("type", field("name", $.type_identifier), repeat($.identifier), "=", field("body", $.type)),

    data_declaration: ($) =>
      seq("data", field("name", $.type_identifier), repeat($.identifier), "=", optional("|"), $.constructor, repeat(seq("|", $.constructor))),

    constructor: ($) => seq(field("name", $.type_identifier), repeat($._type_item)),

    type: ($) => repeat1(choice($._type_item, "->", "=>", "*", "+", "-", "×", $._symbol)),

    _type_item: ($) => choice($.identifier, $.type_identifier, $.number, $.parenthesized, $.bracketed, $.braced, ".", "^"),

    expression: ($) => repeat1($._item),

    _item: ($) =>
      choice(
        $.identifier, $.type_identifier, $.number, $.string, $.boolean, $.parenthesized, $.bracketed, $.braced, $.keyword,
        $.operator, "_", "=", ":", ".", ",", "..", "|", "->", "=>", ";",
      ),

    keyword: ($) =>
      choice("let", "rec", "and", "in", "fun", "\\", "λ", "if", "then", "else", "match", "with", "loop", "for", "while", "until", "do", "as"),

    operator: ($) => choice("|>", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", ".*", "^", "**", "×", $._symbol),

    // Signs of mathematics: ≤ ≥ ≠ → ⇒ ∧ ∨ ¬ √ ∂ ∇ ∫ ∑ and superscripts.
    _symbol: ($) => /[\u00ac\u00b7\u00f7\u00b2\u00b3\u00b9\u2070-\u207f\u2190-\u22ff]/,

    parenthesized: ($) => seq("(", repeat($._item), ")"),
    bracketed: ($) => seq("[", repeat($._item), "]"),
    braced: ($) => seq("{", repeat($._item), "}"),

    boolean: ($) => choice("true", "false"),

    number: ($) => token(choice(/0x[0-9a-fA-F_]+/, /0b[01_]+/, /[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9_]+)?/)),

    string: ($) => seq('"', repeat(choice($._text, $.escape, $.interpolation, $._in_string)), token.immediate('"')),
    _text: ($) => token.immediate(prec(2, /[^"\\{\n]+/)),
    escape: ($) => token.immediate(prec(3, /\\(u\{[0-9a-fA-F]*\}|[^\n])|\{\{/)),
    interpolation: ($) => seq(token.immediate("{"), repeat($._item), "}"),

    identifier: ($) => new RustRegex(`[${letter}][${more}]*'*`),
    type_identifier: ($) => token(prec(1, new RustRegex(`_*[A-Z][${more}]*'*`))),

    doc_comment: ($) => token(prec(1, /--\|[^\n]*/)),
    comment: ($) => token(/--[^\n]*/),
  },
});
