package x86

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/asmtest"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// randomInst draws an instruction on machine registers that the generator could emit, for AVX2
// or for AVX-512.
func randomInst(r *rand.Rand, wide bool) ir.Inst {
	allocatable := []ir.Reg{rax, rcx, rdx, rbx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15}
	g := func() ir.Reg { return allocatable[r.IntN(len(allocatable))] }
	vectors, widths := 16, []uint8{8, 32}
	if wide {
		vectors, widths = 32, []uint8{8, 64}
	}
	v := func() ir.Reg { return ir.Reg(r.IntN(vectors)) }
	k := func() ir.Reg { return ir.Reg(1 + r.IntN(7)) }
	disp := func() int32 {
		switch r.IntN(4) {
		case 0:
			return 0
		case 1:
			return int32(r.IntN(256) - 128)
		case 2:
			return 8 * int32(r.IntN(2048)-1024)
		}
		return int32(r.IntN(1<<20) - 1<<19)
	}
	memory := func() ir.Mem {
		m := ir.Mem{Base: g(), Index: ir.NoReg, Scale: 1, Disp: disp()}
		if r.IntN(2) == 0 {
			m.Index, m.Scale = g(), []uint8{1, 2, 4, 8}[r.IntN(4)]
		}
		return m
	}
	for {
		in := ir.Inst{Op: ir.Opcode(1 + r.IntN(len(x86Ops)-1)), D: ir.NoReg, A: ir.NoReg, B: ir.NoReg, C: ir.NoReg, K: ir.NoReg}
		info := &x86Ops[in.Op]
		if info.form == formNone || wide && info.flags&noEVEX != 0 || !wide && info.flags&noVEX != 0 {
			continue
		}
		in.W = widths[r.IntN(len(widths))]
		switch info.form {
		case formG:
			in.D, in.A, in.B, in.CC = g(), g(), g(), []ir.Cond{ir.CCO, ir.CCB, ir.CCAE, ir.CCE, ir.CCNE, ir.CCBE, ir.CCA, ir.CCS, ir.CCP, ir.CCNP, ir.CCL, ir.CCGE, ir.CCLE, ir.CCG}[r.IntN(14)]
			switch in.Op {
			case ir.OpJump, ir.OpJcc, ir.OpLeaLabel:
				continue
			case ir.OpMovImm:
				in.Imm = []int64{0, 1, -1, r.Int64(), int64(r.Int32()), -int64(r.Int32()), int64(r.Uint32())}[r.IntN(7)]
			case ir.OpLoad, ir.OpLea, ir.OpJumpMem:
				in.IsMem, in.M = true, memory()
			case ir.OpStore:
				in.IsMem, in.M, in.IsImm, in.Imm = true, memory(), r.IntN(2) == 0, int64(r.Int32())
			case ir.OpSubMem:
				in.IsMem, in.M, in.Imm = true, memory(), int64(r.IntN(1000))
			case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpCmp, ir.OpMul, ir.OpMulFlags:
				switch r.IntN(3) {
				case 0:
					in.IsMem, in.M = true, memory()
				case 1:
					in.IsImm, in.Imm = true, []int64{int64(r.IntN(256) - 128), -int64(r.Int32())}[r.IntN(2)]
				}
			case ir.OpShl, ir.OpSar, ir.OpShr:
				in.IsImm, in.Imm = r.IntN(2) == 0, int64(1+r.IntN(63))
			case ir.OpCmov:
				if r.IntN(2) == 0 {
					in.IsMem, in.M = true, memory()
				}
			}
			return in
		case formK:
			if !wide && in.Op != ir.OpVZeroUpper {
				continue
			}
			in.D, in.A, in.B = k(), k(), k()
			switch in.Op {
			case ir.OpKLoad, ir.OpKStore:
				in.IsMem, in.M = true, memory()
			case ir.OpKFromG:
				in.A = g()
			case ir.OpKToG:
				in.D = g()
			}
			return in
		}
		in.D, in.A, in.B, in.Imm = v(), v(), v(), int64(r.IntN(5))
		if info.flags&giveMask != 0 {
			in.D = k()
		}
		usesMem := r.IntN(2) == 0
		switch in.Op {
		case ir.OpVCmp, ir.OpVCmpK, ir.OpVCmpI, ir.OpVRound, ir.OpVShlImm, ir.OpVShrImm, ir.OpVSarImm, ir.OpVSqrt, ir.OpVToReal, ir.OpVToInt, ir.OpVMov:
			usesMem = usesMem && info.form == formRVM
		case ir.OpVMaskLoad, ir.OpVLoad, ir.OpVStore, ir.OpVGather, ir.OpVScatter, ir.OpVMaskStore:
			usesMem = true
		case ir.OpVBroadcast:
			in.W = max(in.W, 32)
		case ir.OpVFromG, ir.OpVRealG:
			in.B, usesMem, in.W = g(), false, 8
		case ir.OpVToG:
			in.D, usesMem, in.W = g(), false, 8
		case ir.OpVIntG:
			in.D, usesMem, in.W = g(), false, 8
		case ir.OpVMoveMask:
			in.D, usesMem = g(), false
		case ir.OpVBlend:
			in.C = v()
			if wide {
				in.C, in.K = ir.NoReg, k()
			}
		case ir.OpVLogic:
			in.C, in.Imm, in.W = in.D, int64(r.IntN(256)), max(in.W, 32)
		case ir.OpVMul, ir.OpVDiv:
			if wide && in.W > 8 && r.IntN(2) == 0 {
				in.C, in.K = in.D, k()
			}
		case ir.OpVHigh:
			in.Imm, usesMem, in.W = 1, false, max(in.W, 32)
		case ir.OpVPairs:
			in.W = max(in.W, 32)
		case ir.OpVHalves:
			in.W = 32
		case ir.OpVUcomi:
			in.W = 8
		}
		switch {
		case info.form == formVMI:
			in.B = ir.NoReg
		case info.form == formRM && in.Op != ir.OpVGather:
			in.A = ir.NoReg
		case info.form == formMR:
			in.B = ir.NoReg
		}
		switch in.Op {
		case ir.OpVGather, ir.OpVScatter, ir.OpVMaskLoad, ir.OpVMaskStore:
			in.W = max(in.W, 32)
		}
		if usesMem {
			in.IsMem, in.M = true, memory()
			if wide && info.form == formRVM && in.W > 8 {
				in.M.Broadcast = r.IntN(2) == 0
			}
			in.B = ir.NoReg
		}
		switch in.Op {
		case ir.OpVGather, ir.OpVScatter:
			in.M.Index, in.M.Scale = v(), 8
			if in.M.Index == in.D || in.Op == ir.OpVGather && (in.A == in.D || in.A == in.M.Index) {
				continue
			}
			if wide {
				in.K = k()
			}
		case ir.OpVMaskStore:
			in.C = v()
		case ir.OpVLoad, ir.OpVStore:
			if wide && in.W == 64 && r.IntN(2) == 0 {
				in.K = k()
			}
		}
		return in
	}
}

// TestEncodings compares the encoder with the bytes that GNU as gave for the instructions of
// testdata/encodings.txt; -update writes the file.
func TestEncodings(t *testing.T) {
	var b, source strings.Builder
	var all []byte
	source.WriteString(".intel_syntax noprefix\n")
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 600 {
		in := randomInst(r, i%2 == 1)
		as := x86asm{&emit.Assembler{}}
		as.encode(&in)
		all = append(all, as.Buf...)
		fmt.Fprintf(&b, "%-24x %s\n", as.Buf, intel(&in))
		fmt.Fprintln(&source, intel(&in))
	}
	path := filepath.Join("testdata", "encodings.txt")
	if *update {
		if !bytes.Equal(all, asmtest.Assemble(t, "amd64", source.String(), "-O0")) {
			t.Fatal("GNU as gives other bytes")
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(string(want), "\n")
	for i, got := range strings.Split(b.String(), "\n") {
		if i >= len(wants) || got != wants[i] {
			t.Fatalf("instruction %d is now\n%s", i, got)
		}
	}
}

var update = flag.Bool("update", false, "write the files of testdata")

// TestEncoder compares the encoder with GNU as, byte for byte.
func TestEncoder(t *testing.T) {
	if asmtest.GnuAs("amd64") == "" {
		t.Skip("GNU as for amd64 is not installed")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, wide := range []bool{false, true} {
		var text strings.Builder
		var insts []ir.Inst
		var ours [][]byte
		text.WriteString(".intel_syntax noprefix\n")
		for range property.Rounds(4000) {
			in := randomInst(r, wide)
			as := x86asm{&emit.Assembler{}}
			as.encode(&in)
			insts, ours = append(insts, in), append(ours, as.Buf)
			fmt.Fprintf(&text, "%s\n", intel(&in))
		}
		theirs := asmtest.Assemble(t, "amd64", text.String(), "-O0")
		for i, b := range ours {
			if !bytes.HasPrefix(theirs, b) {
				t.Fatalf("%s\nis encoded as % x\nby as          % x", intel(&insts[i]), b, theirs[:min(len(theirs), 15)])
			}
			theirs = theirs[len(b):]
		}
	}
}
