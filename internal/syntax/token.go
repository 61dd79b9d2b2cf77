package syntax

// kind is the kind of a token.
type kind uint8

// The kinds of tokens. The lexer never makes kEnd: it is what the parser sees where the offside
// rule ends a construct (layout.go).
const (
	kEOF kind = iota
	kEnd
	kBad // text that is not a token, which was already reported
	kIdent
	kUpper
	kWild
	kNumber
	kString
	kTextOpen  // "text {
	kTextPart  // } text {
	kTextClose // } text"

	kLet
	kRec
	kAnd
	kIn
	kFun
	kIf
	kThen
	kElse
	kMatch
	kWith
	kLoop
	kFor
	kWhile
	kUntil
	kDo
	kImport
	kAs
	kType
	kData
	kTrue
	kFalse
	kElif // elif, elsif, elseif: names, but an error after `then`

	kLParen
	kRParen
	kLBrack
	kRBrack
	kLBrace
	kRBrace
	kComma
	kColon
	kDot
	kDotDot // .. in an array pattern
	kSemi
	kEqual
	kFatArrow  // =>
	kThinArrow // ->
	kBar

	kPipe
	kOrOr
	kAndAnd
	kEqEq
	kNotEq
	kLess
	kLessEq
	kGreater
	kGreaterEq
	kPlus
	kMinus
	kStar
	kSlash
	kDotStar
	kCaret
	kStarStar
	kTimes // ×, the * of types

	numKinds
)

// token is a piece of the text. It has no pointers, and its text is a substring of the file, so
// tokens need no allocation.
type token struct {
	start, end int32
	col        int32 // 1-based, in characters
	kind       kind
	flags      tokenFlags
}

type tokenFlags uint8

const (
	startsLine  tokenFlags = 1 << iota // only blanks and comments precede it on its line
	spaceBefore                        // a blank, a comment or the start of the file precedes it
	hasEscape                          // a string that differs from its value
)

func (t token) is(f tokenFlags) bool { return t.flags&f != 0 }

// spelling holds the ASCII spelling of each fixed token.
var spelling = [numKinds]string{
	kWild: "_",
	kLet:  "let", kRec: "rec", kAnd: "and", kIn: "in", kFun: "fun", kIf: "if", kThen: "then",
	kElse:  "else",
	kMatch: "match", kWith: "with", kLoop: "loop", kFor: "for", kWhile: "while", kUntil: "until",
	kDo: "do", kImport: "import",
	kAs: "as", kType: "type", kData: "data", kTrue: "true", kFalse: "false",
	kLParen: "(", kRParen: ")", kLBrack: "[", kRBrack: "]", kLBrace: "{", kRBrace: "}", kComma: ",",
	kColon: ":",
	kDot:   ".", kDotDot: "..", kSemi: ";", kEqual: "=", kFatArrow: "=>", kThinArrow: "->",
	kBar:  "|",
	kPipe: "|>", kOrOr: "||", kAndAnd: "&&", kEqEq: "==", kNotEq: "!=", kLess: "<", kLessEq: "<=",
	kGreater:   ">",
	kGreaterEq: ">=", kPlus: "+", kMinus: "-", kStar: "*", kSlash: "/", kDotStar: ".*", kCaret: "^",
	kStarStar: "**",
	kTimes:    "×",
}

// Precedences, from the loosest to the tightest (the table of the language reference).
const (
	precNone = iota
	precPipe
	precOr
	precAnd
	precCompare
	precAdd
	precMul
	precNeg
	precPow
	precApply
	precPostfix
)

// infix holds the operator that a token spells, and its precedence. Tokens that are not infix
// operators have precNone.
var infix = [numKinds]struct {
	prec int8
	op   Op
}{
	kPipe: {precPipe, OpPipe}, kOrOr: {precOr, OpOr}, kAndAnd: {precAnd, OpAnd},
	kEqEq: {precCompare, OpEq}, kNotEq: {precCompare, OpNe}, kLess: {precCompare, OpLt},
	kLessEq: {precCompare, OpLe}, kGreater: {precCompare, OpGt}, kGreaterEq: {precCompare, OpGe},
	kPlus: {precAdd, OpAdd}, kMinus: {precAdd, OpSub},
	kStar: {precMul, OpMul}, kSlash: {precMul, OpDiv}, kDotStar: {precMul, OpScale},
	kTimes: {precMul, OpMul},
	kCaret: {precPow, OpPow}, kStarStar: {precPow, OpPowR},
}

// opPrec holds the precedence of each operator.
var opPrec = [...]int8{
	OpPipe: precPipe, OpOr: precOr, OpAnd: precAnd,
	OpEq: precCompare, OpNe: precCompare, OpLt: precCompare, OpLe: precCompare, OpGt: precCompare,
	OpGe:  precCompare,
	OpAdd: precAdd, OpSub: precAdd, OpMul: precMul, OpDiv: precMul, OpScale: precMul,
	OpPow: precPow, OpPowR: precPow,
}

// keyword returns the kind of a word.
func keyword(word string) kind {
	switch word {
	case "let":
		return kLet
	case "rec":
		return kRec
	case "and":
		return kAnd
	case "in":
		return kIn
	case "fun":
		return kFun
	case "if":
		return kIf
	case "then":
		return kThen
	case "else":
		return kElse
	case "match":
		return kMatch
	case "with":
		return kWith
	case "loop":
		return kLoop
	case "for":
		return kFor
	case "while":
		return kWhile
	case "until":
		return kUntil
	case "do":
		return kDo
	case "import":
		return kImport
	case "as":
		return kAs
	case "type":
		return kType
	case "data":
		return kData
	case "true":
		return kTrue
	case "false":
		return kFalse
	case "elif", "elsif", "elseif":
		return kElif
	}
	return kIdent
}

// IsKeyword reports whether a word is reserved, and so cannot be a name.
func IsKeyword(word string) bool {
	k := keyword(word)
	return k != kIdent && k != kElif
}

// Keywords lists the reserved words.
func Keywords() []string {
	var words []string
	for _, s := range spelling {
		if IsKeyword(s) {
			words = append(words, s)
		}
	}
	return words
}
