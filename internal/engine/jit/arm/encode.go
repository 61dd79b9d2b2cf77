package arm

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// armOp is an instruction of arm64: a row of the table armOps.
type armOp uint8

// armInst is an instruction of arm64 on machine registers.
type armInst struct {
	op         armOp
	d, n, m, a ir.Reg
	imm        int64
	sh         uint8 // the place of a part of a constant, the rotation of a field
	cc         ir.Cond
	to         ir.Label // in place of imm if it is not noLabel; filled in later
}

// The instructions. Loads and stores come in fours: with an offset in units of the size, with one
// in bytes, with an index in bytes and with one in units of the size.
const (
	armNop armOp = iota
	armRet
	armBr
	armB
	armBcc
	armCbz
	armAdr
	armLiteralD
	armLiteralQ

	armMov
	armMovz
	armMovn
	armMovk
	armAdd
	armSub
	armCmp
	armCmpSigns
	armAnd
	armOrr
	armEor
	armAddImm
	armSubImm
	armSubsImm
	armCmpImm
	armCmnImm
	armAndImm
	armOrrImm
	armEorImm
	armMadd
	armMsub
	armSmulh
	armSdiv
	armLsl
	armLsr
	armAsr
	armUbfm
	armSbfm
	armCsel
	armCsinc

	armLoadX
	_
	_
	_
	armStoreX
	_
	_
	_
	armLoadD
	_
	_
	_
	armStoreD
	_
	_
	_
	armLoadQ
	_
	_
	_
	armStoreQ
	_
	_
	_
	armLoadHigh
	armStoreHigh
	armLoadAll

	armFadd
	armFsub
	armFmul
	armFdiv
	armFmax
	armFmin
	armFsqrt
	armFrintn
	armFrintm
	armFrintp
	armFrintz
	armFcmp
	armFmadd
	armFmsub
	armFnmsub
	armFmovDX
	armFmovXD
	armScvtf
	armFcvtzs

	armVFadd
	armVFsub
	armVFmul
	armVFdiv
	armVFmax
	armVFmin
	armVFsqrt
	armVFneg
	armVFrintn
	armVFrintm
	armVFrintp
	armVFrintz
	armVFmla
	armVFmls
	armVFcmeq
	armVFcmge
	armVFcmgt
	armVScvtf
	armVFcvtzs
	armVMov
	armVAnd
	armVBic
	armVOrr
	armVEor
	armVNot
	armVBsl
	armVBit
	armVBif
	armVAdd
	armVSub
	armVNeg
	armVCmeq
	armVCmgt
	armVSshl
	armVUshl
	armVShl
	armVUshr
	armVSshr
	armVZip2
	armVDup
	armVHigh
	armVSetHigh
	armVZero
	armVOnes
)

// armOps has the text of each instruction, as GNU as reads it, and its bits without operands. The
// registers d, n, m and a have the same bits in all of them; the text tells which immediate operand
// there is.
var armOps = [...]struct {
	text string
	bits uint32
}{
	armNop:      {"nop", 0xd503201f},
	armRet:      {"ret", 0xd65f03c0},
	armBr:       {"br $xn", 0xd61f0000},
	armB:        {"b $rel26", 0x14000000},
	armBcc:      {"b.$branch $rel19", 0x54000000},
	armCbz:      {"cbz $xd, $rel19", 0xb4000000},
	armAdr:      {"adr $xd, $rel21", 0x10000000},
	armLiteralD: {"ldr d$d, $rel19", 0x5c000000},
	armLiteralQ: {"ldr q$d, $rel19", 0x9c000000},

	armMov:      {"mov $xd, $xm", 0xaa0003e0},
	armMovz:     {"movz $xd, $wide", 0xd2800000},
	armMovn:     {"movn $xd, $wide", 0x92800000},
	armMovk:     {"movk $xd, $wide", 0xf2800000},
	armAdd:      {"add $xd, $xn, $xm, lsl $shift", 0x8b000000},
	armSub:      {"sub $xd, $xn, $xm, lsl $shift", 0xcb000000},
	armCmp:      {"cmp $xn, $xm", 0xeb00001f},
	armCmpSigns: {"cmp $xn, $xm, asr #63", 0xeb80fc1f},
	armAnd:      {"and $xd, $xn, $xm", 0x8a000000},
	armOrr:      {"orr $xd, $xn, $xm", 0xaa000000},
	armEor:      {"eor $xd, $xn, $xm", 0xca000000},
	armAddImm:   {"add $xd, $xn, $imm12", 0x91000000},
	armSubImm:   {"sub $xd, $xn, $imm12", 0xd1000000},
	armSubsImm:  {"subs $xd, $xn, $imm12", 0xf1000000},
	armCmpImm:   {"cmp $xn, $imm12", 0xf100001f},
	armCmnImm:   {"cmn $xn, $imm12", 0xb100001f},
	armAndImm:   {"and $xd, $xn, $bits", 0x92000000},
	armOrrImm:   {"orr $xd, $xn, $bits", 0xb2000000},
	armEorImm:   {"eor $xd, $xn, $bits", 0xd2000000},
	armMadd:     {"madd $xd, $xn, $xm, $xa", 0x9b000000},
	armMsub:     {"msub $xd, $xn, $xm, $xa", 0x9b008000},
	armSmulh:    {"smulh $xd, $xn, $xm", 0x9b407c00},
	armSdiv:     {"sdiv $xd, $xn, $xm", 0x9ac00c00},
	armLsl:      {"lsl $xd, $xn, $xm", 0x9ac02000},
	armLsr:      {"lsr $xd, $xn, $xm", 0x9ac02400},
	armAsr:      {"asr $xd, $xn, $xm", 0x9ac02800},
	armUbfm:     {"ubfm $xd, $xn, $field", 0xd3400000},
	armSbfm:     {"sbfm $xd, $xn, $field", 0x93400000},
	armCsel:     {"csel $xd, $xn, $xm, $cc", 0x9a800000},
	armCsinc:    {"csinc $xd, $xn, $xm, $cc", 0x9a800400},

	armLoadX:      {"ldr $xd, [$xn, $units8]", 0xf9400000},
	armLoadX + 1:  {"ldur $xd, [$xn, $bytes]", 0xf8400000},
	armLoadX + 2:  {"ldr $xd, [$xn, $xm]", 0xf8606800},
	armLoadX + 3:  {"ldr $xd, [$xn, $xm, lsl #3]", 0xf8607800},
	armStoreX:     {"str $xd, [$xn, $units8]", 0xf9000000},
	armStoreX + 1: {"stur $xd, [$xn, $bytes]", 0xf8000000},
	armStoreX + 2: {"str $xd, [$xn, $xm]", 0xf8206800},
	armStoreX + 3: {"str $xd, [$xn, $xm, lsl #3]", 0xf8207800},
	armLoadD:      {"ldr d$d, [$xn, $units8]", 0xfd400000},
	armLoadD + 1:  {"ldur d$d, [$xn, $bytes]", 0xfc400000},
	armLoadD + 2:  {"ldr d$d, [$xn, $xm]", 0xfc606800},
	armLoadD + 3:  {"ldr d$d, [$xn, $xm, lsl #3]", 0xfc607800},
	armStoreD:     {"str d$d, [$xn, $units8]", 0xfd000000},
	armStoreD + 1: {"stur d$d, [$xn, $bytes]", 0xfc000000},
	armStoreD + 2: {"str d$d, [$xn, $xm]", 0xfc206800},
	armStoreD + 3: {"str d$d, [$xn, $xm, lsl #3]", 0xfc207800},
	armLoadQ:      {"ldr q$d, [$xn, $units16]", 0x3dc00000},
	armLoadQ + 1:  {"ldur q$d, [$xn, $bytes]", 0x3cc00000},
	armLoadQ + 2:  {"ldr q$d, [$xn, $xm]", 0x3ce06800},
	armLoadQ + 3:  {"ldr q$d, [$xn, $xm, lsl #4]", 0x3ce07800},
	armStoreQ:     {"str q$d, [$xn, $units16]", 0x3d800000},
	armStoreQ + 1: {"stur q$d, [$xn, $bytes]", 0x3c800000},
	armStoreQ + 2: {"str q$d, [$xn, $xm]", 0x3ca06800},
	armStoreQ + 3: {"str q$d, [$xn, $xm, lsl #4]", 0x3ca07800},
	armLoadHigh:   {"ld1 {v$d.d}[1], [$xn]", 0x4d408400},
	armStoreHigh:  {"st1 {v$d.d}[1], [$xn]", 0x4d008400},
	armLoadAll:    {"ld1r {v$d.2d}, [$xn]", 0x4d40cc00},

	armFadd:   {"fadd d$d, d$n, d$m", 0x1e602800},
	armFsub:   {"fsub d$d, d$n, d$m", 0x1e603800},
	armFmul:   {"fmul d$d, d$n, d$m", 0x1e600800},
	armFdiv:   {"fdiv d$d, d$n, d$m", 0x1e601800},
	armFmax:   {"fmax d$d, d$n, d$m", 0x1e604800},
	armFmin:   {"fmin d$d, d$n, d$m", 0x1e605800},
	armFsqrt:  {"fsqrt d$d, d$n", 0x1e61c000},
	armFrintn: {"frintn d$d, d$n", 0x1e644000},
	armFrintm: {"frintm d$d, d$n", 0x1e654000},
	armFrintp: {"frintp d$d, d$n", 0x1e64c000},
	armFrintz: {"frintz d$d, d$n", 0x1e65c000},
	armFcmp:   {"fcmp d$n, d$m", 0x1e602000},
	armFmadd:  {"fmadd d$d, d$n, d$m, d$a", 0x1f400000},
	armFmsub:  {"fmsub d$d, d$n, d$m, d$a", 0x1f408000},
	armFnmsub: {"fnmsub d$d, d$n, d$m, d$a", 0x1f608000},
	armFmovDX: {"fmov d$d, $xn", 0x9e670000},
	armFmovXD: {"fmov $xd, d$n", 0x9e660000},
	armScvtf:  {"scvtf d$d, $xn", 0x9e620000},
	armFcvtzs: {"fcvtzs $xd, d$n", 0x9e780000},

	armVFadd:    {"fadd v$d.2d, v$n.2d, v$m.2d", 0x4e60d400},
	armVFsub:    {"fsub v$d.2d, v$n.2d, v$m.2d", 0x4ee0d400},
	armVFmul:    {"fmul v$d.2d, v$n.2d, v$m.2d", 0x6e60dc00},
	armVFdiv:    {"fdiv v$d.2d, v$n.2d, v$m.2d", 0x6e60fc00},
	armVFmax:    {"fmax v$d.2d, v$n.2d, v$m.2d", 0x4e60f400},
	armVFmin:    {"fmin v$d.2d, v$n.2d, v$m.2d", 0x4ee0f400},
	armVFsqrt:   {"fsqrt v$d.2d, v$n.2d", 0x6ee1f800},
	armVFneg:    {"fneg v$d.2d, v$n.2d", 0x6ee0f800},
	armVFrintn:  {"frintn v$d.2d, v$n.2d", 0x4e618800},
	armVFrintm:  {"frintm v$d.2d, v$n.2d", 0x4e619800},
	armVFrintp:  {"frintp v$d.2d, v$n.2d", 0x4ee18800},
	armVFrintz:  {"frintz v$d.2d, v$n.2d", 0x4ee19800},
	armVFmla:    {"fmla v$d.2d, v$n.2d, v$m.2d", 0x4e60cc00},
	armVFmls:    {"fmls v$d.2d, v$n.2d, v$m.2d", 0x4ee0cc00},
	armVFcmeq:   {"fcmeq v$d.2d, v$n.2d, v$m.2d", 0x4e60e400},
	armVFcmge:   {"fcmge v$d.2d, v$n.2d, v$m.2d", 0x6e60e400},
	armVFcmgt:   {"fcmgt v$d.2d, v$n.2d, v$m.2d", 0x6ee0e400},
	armVScvtf:   {"scvtf v$d.2d, v$n.2d", 0x4e61d800},
	armVFcvtzs:  {"fcvtzs v$d.2d, v$n.2d", 0x4ee1b800},
	armVMov:     {"mov v$d.16b, v$nm.16b", 0x4ea01c00},
	armVAnd:     {"and v$d.16b, v$n.16b, v$m.16b", 0x4e201c00},
	armVBic:     {"bic v$d.16b, v$n.16b, v$m.16b", 0x4e601c00},
	armVOrr:     {"orr v$d.16b, v$n.16b, v$m.16b", 0x4ea01c00},
	armVEor:     {"eor v$d.16b, v$n.16b, v$m.16b", 0x6e201c00},
	armVNot:     {"not v$d.16b, v$n.16b", 0x6e205800},
	armVBsl:     {"bsl v$d.16b, v$n.16b, v$m.16b", 0x6e601c00},
	armVBit:     {"bit v$d.16b, v$n.16b, v$m.16b", 0x6ea01c00},
	armVBif:     {"bif v$d.16b, v$n.16b, v$m.16b", 0x6ee01c00},
	armVAdd:     {"add v$d.2d, v$n.2d, v$m.2d", 0x4ee08400},
	armVSub:     {"sub v$d.2d, v$n.2d, v$m.2d", 0x6ee08400},
	armVNeg:     {"neg v$d.2d, v$n.2d", 0x6ee0b800},
	armVCmeq:    {"cmeq v$d.2d, v$n.2d, v$m.2d", 0x6ee08c00},
	armVCmgt:    {"cmgt v$d.2d, v$n.2d, v$m.2d", 0x4ee03400},
	armVSshl:    {"sshl v$d.2d, v$n.2d, v$m.2d", 0x4ee04400},
	armVUshl:    {"ushl v$d.2d, v$n.2d, v$m.2d", 0x6ee04400},
	armVShl:     {"shl v$d.2d, v$n.2d, $left", 0x4f005400},
	armVUshr:    {"ushr v$d.2d, v$n.2d, $right", 0x6f000400},
	armVSshr:    {"sshr v$d.2d, v$n.2d, $right", 0x4f000400},
	armVZip2:    {"zip2 v$d.2d, v$n.2d, v$m.2d", 0x4ec07800},
	armVDup:     {"dup v$d.2d, v$n.d[0]", 0x4e080400},
	armVHigh:    {"umov $xd, v$n.d[1]", 0x4e183c00},
	armVSetHigh: {"ins v$d.d[1], $xn", 0x4e181c00},
	armVZero:    {"movi v$d.2d, #0", 0x6f00e400},
	armVOnes:    {"movi v$d.2d, #0xffffffffffffffff", 0x6f07e7e0},
}

// armFields has the names of the operands in each text.
var armFields = func() (fields [len(armOps)][]string) {
	for op, row := range armOps {
		os.Expand(row.text, func(name string) string {
			fields[op] = append(fields[op], name)
			return ""
		})
	}
	return fields
}()

// encode is the instruction as the machine has it.
func (in *armInst) encode() uint32 {
	word := armOps[in.op].bits
	for _, name := range armFields[in.op] {
		word |= in.bits(name)
	}
	return word
}

// bits is an operand in its place.
func (in *armInst) bits(name string) uint32 {
	imm := uint32(in.imm)
	if in.to != ir.NoLabel {
		imm = 0
	}
	switch name {
	case "d", "xd":
		return uint32(in.d)
	case "n", "xn":
		return uint32(in.n) << 5
	case "m", "xm":
		return uint32(in.m) << 16
	case "nm": // the same register twice
		return uint32(in.n)<<5 | uint32(in.n)<<16
	case "a", "xa":
		return uint32(in.a) << 10
	case "cc":
		return armCondition(in.cc) << 12
	case "branch":
		return armCondition(in.cc)
	case "imm12": // a multiple of 4096 if it is not below
		if in.imm >= 1<<12 {
			return 1<<22 | imm>>12<<10
		}
		return imm << 10
	case "bits":
		n, _ := bitPattern(uint64(in.imm))
		return n << 10
	case "wide":
		return uint32(in.sh)<<21 | imm<<5
	case "field":
		return uint32(in.sh)<<16 | imm<<10
	case "shift":
		return imm << 10
	case "units8":
		return imm / 8 << 10
	case "units16":
		return imm / 16 << 10
	case "bytes":
		return imm & 0x1ff << 12
	case "left":
		return (64 + imm) << 16
	case "right":
		return (128 - imm) << 16
	case "rel19":
		return imm >> 2 & 0x7ffff << 5
	case "rel21":
		return imm&3<<29 | imm>>2&0x7ffff<<5
	case "rel26":
		return imm >> 2 & 0x3ffffff
	}
	panic("jit: the operand " + name)
}

// String is the instruction as GNU as reads it.
func (in *armInst) String() string {
	register := func(r ir.Reg) string {
		if r == xzr {
			return "xzr"
		}
		return "x" + strconv.Itoa(int(r))
	}
	number := func(n int64) string { return "#" + strconv.FormatInt(n, 10) }
	text := os.Expand(armOps[in.op].text, func(name string) string {
		switch name {
		case "d":
			return strconv.Itoa(int(in.d))
		case "n", "nm":
			return strconv.Itoa(int(in.n))
		case "m":
			return strconv.Itoa(int(in.m))
		case "a":
			return strconv.Itoa(int(in.a))
		case "xd":
			return register(in.d)
		case "xn":
			return register(in.n)
		case "xm":
			return register(in.m)
		case "xa":
			return register(in.a)
		case "cc", "branch":
			return armConds[armCondition(in.cc)]
		case "bits":
			return "#0x" + strconv.FormatUint(uint64(in.imm), 16)
		case "wide":
			return number(in.imm) + ", lsl " + number(16*int64(in.sh))
		case "field":
			return number(int64(in.sh)) + ", " + number(in.imm)
		case "rel19", "rel21", "rel26":
			switch in.to {
			case ir.NoLabel:
				return ".+" + strconv.FormatInt(in.imm, 10)
			case ir.PoolLabel:
				return "pool+" + strconv.FormatInt(in.imm, 10)
			}
			return in.to.String()
		}
		return number(in.imm)
	})
	return strings.TrimSuffix(text, ", lsl #0")
}

var armConds = [16]string{"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt",
	"gt", "le", "al", "nv"}

// armCondition is the machine's number of a condition.
func armCondition(cc ir.Cond) uint32 {
	codes := [...]uint32{ir.CCO: 1, ir.CCB: 3, ir.CCE: 0, ir.CCBE: 9, ir.CCS: 4, ir.CCP: 6,
		ir.CCL: 11, ir.CCLE: 13, ir.CCAboveF: 12, ir.CCAtLeastF: 10}
	return codes[cc&^1] ^ uint32(cc&1)
}

// bitPattern is how logical instructions encode a constant that is a run of ones, rotated, in
// elements of 2 to 64 bits that are all the same; ok tells whether it is one.
func bitPattern(x uint64) (n uint32, ok bool) {
	if x == 0 || x == ^uint64(0) {
		return 0, false
	}
	size := 64
	for size > 2 && bits.RotateLeft64(x, size/2) == x {
		size /= 2
	}
	element := uint64(1)<<(size-1)<<1 - 1
	x &= element
	ones := bits.OnesCount64(x)
	// The rotation that brings the run down to bit 0.
	run := uint64(1)<<ones - 1
	for r := range size {
		if (x>>r|x<<(size-r))&element == run {
			imms := uint32(ones-1) | uint32(-2*size)&0x3f
			right := uint32(size-r) % uint32(size)
			if size == 64 {
				return 1<<12 | right<<6 | imms&0x3f, true
			}
			return right<<6 | imms, true
		}
	}
	return 0, false
}

// errLarge says that the parts of a function lie too far apart for its jumps.
var errLarge = errors.New("jit: the code is larger than a megabyte")

// patch fills in the displacement of the instruction at an offset of the code.
func patch(code []byte, at, to int) error {
	word := binary.LittleEndian.Uint32(code[at:])
	delta := to - at
	reach := 1 << 20
	switch {
	case word>>26 == 0x14000000>>26:
		word |= uint32(delta>>2) & 0x3ffffff
		reach = 1 << 27
	case word&0x9f000000 == 0x10000000:
		word |= uint32(delta&3)<<29 | uint32(delta>>2&0x7ffff)<<5
	default:
		word |= uint32(delta>>2&0x7ffff) << 5
	}
	if delta < -reach || delta >= reach {
		return errLarge
	}
	binary.LittleEndian.PutUint32(code[at:], word)
	return nil
}
