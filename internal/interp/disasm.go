package interp

import (
	"fmt"
	"math"
	"strings"
)

// Disassemble lists the code of every function, for people.
func (c *Code) Disassemble() string {
	var b strings.Builder
	for _, fn := range c.funs {
		fmt.Fprintf(&b, "%s: arity %d, registers %df %di %dp\n", fn.name, fn.arity, fn.frame.F, fn.frame.I, fn.frame.P)
		for pc := range fn.code {
			fmt.Fprintf(&b, "  %4d  %s\n", pc, fn.disassemble(c.lib, pc))
		}
	}
	return b.String()
}

// disassemble is one instruction as text.
func (fn *function) disassemble(lib *library, pc int) string {
	in := &fn.code[pc]
	info := opTable[in.op]
	words := []string{fmt.Sprintf("%-12s", info.name)}
	for n, r := range [...]uint16{in.a, in.b, in.c} {
		switch kind := info.operands[n]; kind {
		case 'F', 'I', 'P':
			words = append(words, fmt.Sprintf("%c%d", kind+'a'-'A', r))
		case 'n', 'r':
			words = append(words, fmt.Sprint(r))
		case 'l':
			for _, o := range fn.lists[r] {
				words = append(words, fmt.Sprintf("%c%d", "fip"[o.kind], o.reg))
			}
		}
	}
	switch info.operands[3] {
	case 'F', 'I', 'P':
		words = append(words, fmt.Sprintf("%c%d", info.operands[3]+'a'-'A', in.k))
	case 'f':
		words = append(words, fmt.Sprint(math.Float64frombits(uint64(in.k))))
	case 'i':
		words = append(words, fmt.Sprint(in.k))
	case 'j':
		words = append(words, fmt.Sprintf("-> %d", in.k))
	case 'J':
		words = append(words, fmt.Sprintf("%d -> %d", in.k>>32, uint32(in.k)))
	case 'G':
		words = append(words, fmt.Sprintf("%g -> %d", immediateF(in.k), uint32(in.k)))
	case 'A':
		words = append(words, fmt.Sprintf("%g %g", math.Float32frombits(uint32(in.k)), immediateF(in.k)))
	case 'x':
		switch in.op {
		case opCall, opTailCall, opClosure:
			words = append(words, lib.funs[in.k].name)
		case opOperate:
			words = append(words, lib.operations[in.k].String())
		default:
			words = append(words, fmt.Sprintf("#%d", in.k))
		}
	}
	return strings.Join(words, " ")
}
