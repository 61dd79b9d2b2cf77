package jit

import (
	"bytes"
	"debug/elf"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// randomInst draws an instruction on machine registers that the generator could emit, for AVX2
// or for AVX-512.
func randomInst(r *rand.Rand, wide bool) inst {
	allocatable := []reg{rax, rcx, rdx, rbx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15}
	g := func() reg { return allocatable[r.IntN(len(allocatable))] }
	vectors, widths := 16, []uint8{8, 32}
	if wide {
		vectors, widths = 32, []uint8{8, 64}
	}
	v := func() reg { return reg(r.IntN(vectors)) }
	k := func() reg { return reg(1 + r.IntN(7)) }
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
	memory := func() mem {
		m := mem{base: g(), index: noReg, scale: 1, disp: disp()}
		if r.IntN(2) == 0 {
			m.index, m.scale = g(), []uint8{1, 2, 4, 8}[r.IntN(4)]
		}
		return m
	}
	for {
		in := inst{op: opcode(1 + r.IntN(len(x86Ops)-1)), d: noReg, a: noReg, b: noReg, c: noReg, k: noReg}
		info := &x86Ops[in.op]
		if info.form == formNone || wide && info.flags&noEVEX != 0 || !wide && info.flags&noVEX != 0 {
			continue
		}
		in.w = widths[r.IntN(len(widths))]
		switch info.form {
		case formG:
			in.d, in.a, in.b, in.cc = g(), g(), g(), []cond{ccO, ccB, ccAE, ccE, ccNE, ccBE, ccA, ccS, ccP, ccNP, ccL, ccGE, ccLE, ccG}[r.IntN(14)]
			switch in.op {
			case opJump, opJcc, opLeaLabel:
				continue
			case opMovImm:
				in.imm = []int64{0, 1, -1, r.Int64(), int64(r.Int32()), -int64(r.Int32()), int64(r.Uint32())}[r.IntN(7)]
			case opLoad, opLea, opJumpMem:
				in.isMem, in.m = true, memory()
			case opStore:
				in.isMem, in.m, in.isImm, in.imm = true, memory(), r.IntN(2) == 0, int64(r.Int32())
			case opSubMem:
				in.isMem, in.m, in.imm = true, memory(), int64(r.IntN(1000))
			case opAdd, opSub, opAnd, opOr, opXor, opCmp, opMul, opMulFlags:
				switch r.IntN(3) {
				case 0:
					in.isMem, in.m = true, memory()
				case 1:
					in.isImm, in.imm = true, []int64{int64(r.IntN(256) - 128), -int64(r.Int32())}[r.IntN(2)]
				}
			case opShl, opSar, opShr:
				in.isImm, in.imm = r.IntN(2) == 0, int64(1+r.IntN(63))
			case opCmov:
				if r.IntN(2) == 0 {
					in.isMem, in.m = true, memory()
				}
			}
			return in
		case formK:
			if !wide && in.op != opVZeroUpper {
				continue
			}
			in.d, in.a, in.b = k(), k(), k()
			switch in.op {
			case opKLoad, opKStore:
				in.isMem, in.m = true, memory()
			case opKFromG:
				in.a = g()
			case opKToG:
				in.d = g()
			}
			return in
		}
		in.d, in.a, in.b, in.imm = v(), v(), v(), int64(r.IntN(5))
		if info.flags&giveMask != 0 {
			in.d = k()
		}
		usesMem := r.IntN(2) == 0
		switch in.op {
		case opVCmp, opVCmpK, opVCmpI, opVRound, opVShlImm, opVShrImm, opVSarImm, opVSqrt, opVToReal, opVToInt, opVMov:
			usesMem = usesMem && info.form == formRVM
		case opVMaskLoad, opVLoad, opVStore, opVGather, opVScatter, opVMaskStore:
			usesMem = true
		case opVBroadcast:
			in.w = max(in.w, 32)
		case opVFromG, opVRealG:
			in.b, usesMem, in.w = g(), false, 8
		case opVToG:
			in.d, usesMem, in.w = g(), false, 8
		case opVIntG:
			in.d, usesMem, in.w = g(), false, 8
		case opVMoveMask:
			in.d, usesMem = g(), false
		case opVBlend:
			in.c = v()
			if wide {
				in.c, in.k = noReg, k()
			}
		case opVLogic:
			in.c, in.imm, in.w = in.d, int64(r.IntN(256)), max(in.w, 32)
		case opVMul, opVDiv:
			if wide && in.w > 8 && r.IntN(2) == 0 {
				in.c, in.k = in.d, k()
			}
		case opVHigh:
			in.imm, usesMem, in.w = 1, false, max(in.w, 32)
		case opVPairs:
			in.w = max(in.w, 32)
		case opVHalves:
			in.w = 32
		case opVUcomi:
			in.w = 8
		}
		switch {
		case info.form == formVMI:
			in.b = noReg
		case info.form == formRM && in.op != opVGather:
			in.a = noReg
		case info.form == formMR:
			in.b = noReg
		}
		switch in.op {
		case opVGather, opVScatter, opVMaskLoad, opVMaskStore:
			in.w = max(in.w, 32)
		}
		if usesMem {
			in.isMem, in.m = true, memory()
			if wide && info.form == formRVM && in.w > 8 {
				in.m.bcast = r.IntN(2) == 0
			}
			in.b = noReg
		}
		switch in.op {
		case opVGather, opVScatter:
			in.m.index, in.m.scale = v(), 8
			if in.m.index == in.d || in.op == opVGather && (in.a == in.d || in.a == in.m.index) {
				continue
			}
			if wide {
				in.k = k()
			}
		case opVMaskStore:
			in.c = v()
		case opVLoad, opVStore:
			if wide && in.w == 64 && r.IntN(2) == 0 {
				in.k = k()
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
		as := x86asm{&assembler{}}
		as.encode(&in)
		all = append(all, as.buf...)
		fmt.Fprintf(&b, "%-24x %s\n", as.buf, in.x86())
		fmt.Fprintln(&source, in.x86())
	}
	path := filepath.Join("testdata", "encodings.txt")
	if *update {
		if !bytes.Equal(all, assemble(t, "amd64", source.String(), "-O0")) {
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
	if gnuAs("amd64") == "" {
		t.Skip("GNU as for amd64 is not installed")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, wide := range []bool{false, true} {
		var text strings.Builder
		var insts []inst
		var ours [][]byte
		text.WriteString(".intel_syntax noprefix\n")
		for range property.Rounds(4000) {
			in := randomInst(r, wide)
			as := x86asm{&assembler{}}
			as.encode(&in)
			insts, ours = append(insts, in), append(ours, as.buf)
			fmt.Fprintf(&text, "%s\n", in.x86())
		}
		theirs := assemble(t, "amd64", text.String(), "-O0")
		for i, b := range ours {
			if !bytes.HasPrefix(theirs, b) {
				t.Fatalf("%s\nis encoded as % x\nby as          % x", insts[i].x86(), b, theirs[:min(len(theirs), 15)])
			}
			theirs = theirs[len(b):]
		}
	}
}

// gnuAs is the command that assembles for a machine, "" if there is none.
func gnuAs(arch string) string {
	name := map[string]string{"amd64": "x86_64-linux-gnu-as", "arm64": "aarch64-linux-gnu-as"}[arch]
	if _, err := exec.LookPath(name); err == nil {
		return name
	}
	// The machine's own assembler may be for another processor: this test may run in an emulator.
	version, err := exec.Command("as", "--version").Output()
	target := map[string]string{"amd64": "target of `x86_64-", "arm64": "target of `aarch64-"}[arch]
	if err == nil && strings.Contains(string(version), target) {
		return "as"
	}
	return ""
}

// assemble gives the bytes of the code of a text.
func assemble(t *testing.T, arch, text string, options ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gnuAs(arch), append(options, "-o", obj, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%.3000s", gnuAs(arch), err, out)
	}
	f, err := elf.Open(obj)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
