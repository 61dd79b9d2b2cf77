package arm

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/asmtest"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// randomArm draws operands for an instruction of arm64.
func randomArm(r *rand.Rand, op armOp) armInst {
	in := armInst{op: op, d: ir.Reg(r.IntN(31)), n: ir.Reg(r.IntN(31)), m: ir.Reg(r.IntN(31)), a: ir.Reg(r.IntN(31)), to: ir.NoLabel}
	in.cc = []ir.Cond{ir.CCB, ir.CCAE, ir.CCE, ir.CCNE, ir.CCBE, ir.CCA, ir.CCS, ir.CCP, ir.CCNP, ir.CCL, ir.CCGE, ir.CCLE, ir.CCG, ir.CCAboveF, ir.CCAtLeastF ^ 1}[r.IntN(15)]
	for _, field := range armFields[op] {
		switch field {
		case "imm12":
			in.imm = r.Int64N(1<<12) << (12 * r.IntN(2))
		case "bits": // a run of ones in elements of some size, rotated
			size := 2 << r.IntN(6)
			element := bits.RotateLeft64(1<<(1+r.IntN(size-1))-1, r.IntN(size)) & (1<<(size-1)<<1 - 1)
			if size < 64 {
				element = (1<<(1+r.IntN(size-1)) - 1) << r.IntN(size) & (1<<size - 1)
				if element == 0 || element == 1<<size-1 {
					element = 1
				}
			}
			for ; size < 64; size *= 2 {
				element |= element << size
			}
			in.imm = int64(element)
		case "wide":
			in.imm, in.sh = r.Int64N(1<<16), uint8(r.IntN(4))
		case "field":
			in.imm, in.sh = r.Int64N(64), uint8(r.IntN(64))
		case "shift":
			in.imm = r.Int64N(64)
		case "units8":
			in.imm = 8 * r.Int64N(1<<12)
		case "units16":
			in.imm = 16 * r.Int64N(1<<12)
		case "bytes":
			in.imm = []int64{-1 - r.Int64N(256), 1 + 8*r.Int64N(32)}[r.IntN(2)] // as makes ldr of a multiple
		case "left":
			in.imm = r.Int64N(64)
		case "right":
			in.imm = 1 + r.Int64N(64)
		case "rel19", "rel21":
			in.imm = 4 * (r.Int64N(1<<18) - 1<<17)
		case "rel26":
			in.imm = 4 * (r.Int64N(1<<25) - 1<<24)
		case "xd", "xm", "xa":
			if r.IntN(8) == 0 && !slices.Contains(armFields[op], "imm12") && !slices.Contains(armFields[op], "bits") {
				in.d, in.m, in.a = xzr, xzr, xzr
			}
		}
	}
	return in
}

// TestArmEncoder compares the encoder with GNU as, byte for byte.
func TestArmEncoder(t *testing.T) {
	if asmtest.GnuAs("arm64") == "" {
		t.Skip("GNU as for arm64 is not installed")
	}
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	var insts []armInst
	for i := range property.Rounds(6000) {
		in := randomArm(r, armOp(i%len(armOps)))
		insts = append(insts, in)
		fmt.Fprintln(&text, in.String())
	}
	theirs := asmtest.Assemble(t, "arm64", text.String())
	if len(theirs) != 4*len(insts) {
		t.Fatalf("%d bytes for %d instructions", len(theirs), len(insts))
	}
	for i := range insts {
		if ours, want := insts[i].encode(), binary.LittleEndian.Uint32(theirs[4*i:]); ours != want {
			t.Errorf("%s\nis encoded as %08x\nby as          %08x", insts[i].String(), ours, want)
		}
	}
}

var update = flag.Bool("update", false, "write the files of testdata")

// TestArmEncodings compares the encoder with the bytes that GNU as gave for the instructions of
// testdata/arm64.txt; -update writes the file.
func TestArmEncodings(t *testing.T) {
	var b, source strings.Builder
	var all []byte
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 4 * len(armOps) {
		in := randomArm(r, armOp(i%len(armOps)))
		all = binary.LittleEndian.AppendUint32(all, in.encode())
		fmt.Fprintf(&b, "%08x %s\n", in.encode(), in.String())
		fmt.Fprintln(&source, in.String())
	}
	path := filepath.Join("testdata", "arm64.txt")
	if *update {
		if !slices.Equal(all, asmtest.Assemble(t, "arm64", source.String())) {
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

// TestBitPatterns: the constants that logical instructions have are those that the encoding's
// definition gives, and no others.
func TestBitPatterns(t *testing.T) {
	all := map[uint64]bool{}
	for size := 2; size <= 64; size *= 2 {
		for ones := 1; ones < size; ones++ {
			for turn := range size {
				x := uint64(1)<<ones - 1
				if turn > 0 {
					x = x>>turn | x<<(size-turn)
				}
				if size < 64 {
					x &= 1<<size - 1
				}
				for s := size; s < 64; s *= 2 {
					x |= x << s
				}
				all[x] = true
				n, ok := bitPattern(x)
				if got := patternOf(n); !ok || got != x {
					t.Fatalf("%x has the pattern %x, %v, which means %x", x, n, ok, got)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 10000 {
		x := r.Uint64() >> r.IntN(64) << r.IntN(64)
		if _, ok := bitPattern(x); ok != all[x] {
			t.Fatalf("%x: %v", x, ok)
		}
	}
}

// patternOf is the definition of the encoding: the run, rotated to the right, in elements whose
// size the highest zero of imms tells.
func patternOf(n uint32) uint64 {
	length := bits.Len32(n>>12&1<<6|^n&0x3f) - 1
	size := 1 << length
	ones, turn := int(n)&(size-1)+1, int(n>>6)&(size-1)
	element := uint64(1)<<ones - 1
	var x uint64
	for i := range 64 {
		x |= element >> ((i + turn) % size) & 1 << i
	}
	return x
}
