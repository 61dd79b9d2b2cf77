package syntax

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [Recovery]
//
// An error puts the parser in a panic. From then on every token is seen as kEnd and nothing is
// reported. So all calls return without consuming anything, to the nearest place that knows how
// to continue:
//
//   - a bracket continues at its next `,` or at the bracket that closes it;
//   - a match continues at the next `|` at the column of its arms;
//   - a local `let` continues with its body, at the next line of its column;
//   - a module continues with the next line at the column of its declarations.
//
// Each of these skips tokens by skip, balancing brackets, and none goes beyond the next
// declaration. A token is skipped once, so recovery is linear too. An obvious mistake (`->` for
// `=>`, `=` for `==`) is reported and treated as what was meant, without a panic.

// report adds an error without panicking. Only one error is reported per place.
func (p *parser) report(d *diag.Diagnostic) {
	if p.panicking || p.aborted {
		return
	}
	if p.lex.tabSeen && (d.Code == diag.MissingBody || d.Code == diag.Offside) {
		return // it is unknown where the lines start, and that was reported
	}
	if p.lex.unclosed && p.tok.kind == kEOF {
		return // what is missing may be inside the comment
	}
	if d.Severity == diag.Error {
		if d.Span.Start == p.lastError || p.lex.complained(d.Span.Start) ||
			d.Code == diag.UnexpectedToken && p.inShadow(d.Span.Start) {
			return
		}
		p.lastError = d.Span.Start
		p.cutShort = p.cutShort || p.errors == 0 && p.tok.kind == kEOF && !p.sink.Failed()
		p.errors++
	}
	p.sink.Add(d)
	if p.errors > maxErrors {
		p.stop()
	}
}

// inShadow reports whether a token at `at` may be unexpected only because of an earlier
// complaint: about brackets just before it, or about text on its line that is not a token.
func (p *parser) inShadow(at int32) bool {
	return p.tok.start == p.shadow ||
		p.badAt >= 0 && p.badAt < at && strings.IndexByte(p.lex.text[p.badAt:at], '\n') < 0
}

// fail reports an error and panics.
func (p *parser) fail(d *diag.Diagnostic) {
	p.report(d)
	p.panicking = true
	p.settle()
}

// abort reports an error after which nothing more is parsed.
func (p *parser) abort(d *diag.Diagnostic) {
	if p.aborted {
		return
	}
	p.panicking = false
	p.lastError = -1
	p.report(d)
	p.stop()
}

// stop makes the text end here.
func (p *parser) stop() {
	p.aborted, p.panicking = true, true
	end := int32(len(p.lex.text))
	p.lex.pos = end
	eof := token{start: end, end: end, kind: kEOF, flags: startsLine}
	p.tok, p.next = eof, eof
	p.settle()
}

// skip skips tokens until stop holds outside of any brackets among them, or until a bracket
// closes that was open before, or a declaration starts.
func (p *parser) skip(stop func() bool) {
	depth := 0
	for p.tok.kind != kEOF && !p.atDeclaration() {
		if depth == 0 && stop() {
			return
		}
		switch p.tok.kind {
		case kLParen, kLBrack, kLBrace, kTextOpen:
			depth++
		case kRParen, kRBrack, kRBrace, kTextClose:
			if depth == 0 && len(p.brackets) > 0 {
				return
			}
			depth = max(depth-1, 0)
		}
		p.advance()
	}
}

// calm ends a panic.
func (p *parser) calm() {
	p.panicking = p.aborted
	p.settle()
}

// recoverLine continues at the next line at or left of col, if there is one before an enclosing
// construct ends.
func (p *parser) recoverLine(col int32) {
	if !p.panicking {
		return
	}
	p.skip(func() bool { return p.tok.is(startsLine) && p.tok.col <= col && !exempt[p.tok.kind] })
}

// expect consumes a mandatory token. If it is missing, it fails with the complaint of d, or with
// a general one. A token that is there but offside is reported and accepted.
func (p *parser) expect(k kind, d func() *diag.Diagnostic) bool {
	if p.kind == k {
		p.advance()
		return true
	}
	if p.panicking {
		return false
	}
	if p.offside() && p.tok.kind == k && !p.atDeclaration() {
		p.report(p.complainOffside())
		p.advance()
		return true
	}
	p.fail(d())
	return false
}
