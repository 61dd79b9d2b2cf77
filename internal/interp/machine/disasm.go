package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Disassemble lists the code of every function, for people.
func (c *Code) Disassemble() string {
	c.compileAll()
	var b strings.Builder
	for _, fn := range append(slices.Clone(c.Funs), c.halt, c.pending) {
		fmt.Fprintf(&b, "%s: arity %d, registers %df %di %dp\n", fn.Name, fn.Arity, fn.Frame.F, fn.Frame.I, fn.Frame.P)
		for pc := range fn.Code {
			fmt.Fprintf(&b, "  %4d  %s\n", pc, fn.disassemble(pc))
		}
	}
	return b.String()
}

// disassemble is one instruction as text.
func (fn *Function) disassemble(pc int) string {
	lib := fn.Lib
	in := &fn.Code[pc]
	info := opTable[in.Op]
	words := []string{fmt.Sprintf("%-12s", info.name)}
	for n, r := range [...]uint16{in.A, in.B, in.C} {
		switch kind := info.operands[n]; kind {
		case 'F', 'I', 'P':
			words = append(words, fmt.Sprintf("%c%d", kind+'a'-'A', r))
		case 'n', 'r':
			words = append(words, fmt.Sprint(r))
		case 'l':
			for _, o := range fn.Lists[r] {
				words = append(words, fmt.Sprintf("%c%d", "fip"[o.Kind], o.Reg))
			}
		}
	}
	switch info.operands[3] {
	case 'F', 'I', 'P':
		words = append(words, fmt.Sprintf("%c%d", info.operands[3]+'a'-'A', in.K))
	case 'f':
		words = append(words, fmt.Sprint(math.Float64frombits(uint64(in.K))))
	case 'i':
		words = append(words, fmt.Sprint(in.K))
	case 'j':
		words = append(words, fmt.Sprintf("-> %d", in.K))
	case 'J':
		words = append(words, fmt.Sprintf("%d -> %d", in.K>>32, uint32(in.K)))
	case 'G':
		words = append(words, fmt.Sprintf("%g -> %d", immediateF(in.K), uint32(in.K)))
	case 'A':
		words = append(words, fmt.Sprintf("%g %g", math.Float32frombits(uint32(in.K)), immediateF(in.K)))
	case 'x':
		switch in.Op {
		case OpCall, OpTailCall, OpClosure:
			words = append(words, lib.funs[in.K].Load().Name)
		case OpOperate:
			words = append(words, lib.operations[in.K].String())
		default:
			words = append(words, fmt.Sprintf("#%d", in.K))
		}
	}
	return strings.Join(words, " ")
}
