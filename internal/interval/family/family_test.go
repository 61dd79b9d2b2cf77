package family

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// reference holds values that mpmath 1.4 computed with 40 digits, derivatives by its `diff`.
var reference = []struct {
	f    *Function
	ints []int64
	xs   []float64
	want string
}{
	{GammaP, []int64{0, 0}, []float64{0.25, 0.001}, "0.1961516983827265353776995"},
	{GammaP, []int64{0, 0}, []float64{0.25, 8}, "0.9999820691729285802491006"},
	{GammaP, []int64{0, 0}, []float64{30, 12}, "0.000008870138799144694123945368"},
	{GammaP, []int64{0, 0}, []float64{30, 70}, "0.9999999756717983014267736"},
	{GammaP, []int64{0, 0}, []float64{400, 410}, "0.6958586349323760273059999"},
	{GammaP, []int64{1, 0}, []float64{0.5, 0.125}, "-0.8314400343503888608010492"},
	{GammaP, []int64{1, 0}, []float64{7, 3.5}, "-0.05470210062691689870113399"},
	{GammaP, []int64{2, 0}, []float64{7, 9}, "-0.02665174324841854457559351"},
	{GammaP, []int64{3, 0}, []float64{1.5, 2}, "0.1655888343973365565530454"},
	{GammaP, []int64{0, 1}, []float64{5, 2}, "0.09022352215774179459599966"},
	{GammaP, []int64{0, 4}, []float64{5, 2}, "-0.09022352215774179459599966"},
	{GammaP, []int64{2, 3}, []float64{2.5, 1.25}, "0.550106298295606638226899"},
	{GammaQ, []int64{0, 0}, []float64{0.25, 8}, "0.00001793082707141975089939666"},
	{GammaQ, []int64{0, 0}, []float64{2, 100}, "3.757276735781044322589293e-42"},
	{GammaQ, []int64{0, 0}, []float64{30, 70}, "2.432820169857322638706513e-8"},
	{GammaQ, []int64{1, 0}, []float64{7, 40}, "5.218952496832761955500685e-11"},
	{GammaQ, []int64{2, 0}, []float64{0.5, 20}, "5.111414694103420219466952e-9"},
	{BetaI, []int64{0, 0, 0}, []float64{0.5, 0.5, 0.0625}, "0.1608612465103324875419004"},
	{BetaI, []int64{0, 0, 0}, []float64{50, 3, 0.875}, "0.03423909359281256801018001"},
	{BetaI, []int64{0, 0, 0}, []float64{300, 200, 0.5}, "0.000003543480264392538064283998"},
	{BetaI, []int64{0, 0, 0}, []float64{0.125, 8, 0.75}, "0.9999995934345771282008458"},
	{BetaI, []int64{1, 0, 0}, []float64{3, 4, 0.75}, "-0.02747625234495127342905306"},
	{BetaI, []int64{0, 1, 0}, []float64{3, 4, 0.75}, "0.03930403603819901252453796"},
	{BetaI, []int64{1, 1, 0}, []float64{3, 4, 0.25}, "-0.03660089870571999772841586"},
	{BetaI, []int64{2, 0, 0}, []float64{0.5, 2, 0.5}, "-0.06546459150542993705278366"},
	{BetaI, []int64{0, 0, 3}, []float64{4, 5, 0.375}, "-65.36865234375"},
	{BetaI, []int64{1, 1, 2}, []float64{4, 5, 0.375}, "1.702133267922810084698803"},
	{BesselJ, []int64{0, 0}, []float64{2.404825557695773}, "-6.108765259736730397081979e-17"},
	{BesselJ, []int64{0, 1}, []float64{0.5}, "0.2422684576748738863839546"},
	{BesselJ, []int64{0, 7}, []float64{3}, "0.002547294451804693759148363"},
	{BesselJ, []int64{0, -3}, []float64{3}, "-0.3090627222552516436182602"},
	{BesselJ, []int64{1, 0}, []float64{30}, "0.1187510626166229365202343"},
	{BesselJ, []int64{2, 4}, []float64{12.5}, "-0.2060168525595004482522485"},
	{BesselJ, []int64{0, 2}, []float64{300}, "0.03308597200045566833872309"},
	{BesselJ, []int64{5, 3}, []float64{700}, "0.006582568740583404394237173"},
	{BesselJ, []int64{0, 40}, []float64{20}, "9.902389413744686136413101e-10"},
	{BesselJ, []int64{0, 100}, []float64{95}, "0.02315076800942796599620344"},
	{BesselY, []int64{0, 0}, []float64{0.001}, "-4.471416611375923255727928"},
	{BesselY, []int64{0, 1}, []float64{0.5}, "-1.471472392670243069188585"},
	{BesselY, []int64{0, 7}, []float64{3}, "-19.83993540898641800535824"},
	{BesselY, []int64{0, -3}, []float64{3}, "0.5385416161050316180047039"},
	{BesselY, []int64{1, 0}, []float64{30}, "-0.0844255706617472348909229"},
	{BesselY, []int64{2, 4}, []float64{12.5}, "0.02774928447493183653522443"},
	{BesselY, []int64{0, 2}, []float64{300}, "0.03205352671747879945521727"},
	{BesselY, []int64{5, 3}, []float64{700}, "-0.02942851149540250364130505"},
	{BesselY, []int64{0, 40}, []float64{20}, "-9281227.1960582710291765"},
	{BesselI, []int64{0, 0}, []float64{0.001}, "1.000000250000015625000444"},
	{BesselI, []int64{0, 1}, []float64{-0.5}, "-0.2578943053908963163624797"},
	{BesselI, []int64{0, 7}, []float64{3}, "0.004472118729949566195371155"},
	{BesselI, []int64{1, -3}, []float64{3}, "1.28545881143394329764748"},
	{BesselI, []int64{2, 4}, []float64{12.5}, "16130.41910883601864435257"},
	{BesselI, []int64{0, 2}, []float64{300}, "4.44605815870147242200684e+128"},
	{BesselI, []int64{0, 40}, []float64{20}, "0.0000001315111925030227235030168"},
	{BesselK, []int64{0, 0}, []float64{0.001}, "7.023688800562381322795477"},
	{BesselK, []int64{0, 1}, []float64{0.5}, "1.656441120003300893696445"},
	{BesselK, []int64{0, 7}, []float64{3}, "14.66482647415535179885561"},
	{BesselK, []int64{1, -3}, []float64{3}, "-0.1836808342289256055759526"},
	{BesselK, []int64{2, 4}, []float64{12.5}, "0.000002869759328543668603879963"},
	{BesselK, []int64{0, 2}, []float64{300}, "3.748560827278025747909393e-132"},
	{BesselK, []int64{3, 3}, []float64{60}, "-1.567844757231008719451318e-27"},
	{BesselK, []int64{0, 40}, []float64{20}, "85011.17307736334338847059"},
	{Erfcx, []int64{0}, []float64{-20}, "1.044293937952828790117753e+174"},
	{Erfcx, []int64{0}, []float64{0.25}, "0.7703465477309967439167392"},
	{Erfcx, []int64{0}, []float64{40}, "0.01410033598337781362474129"},
	{Erfcx, []int64{1}, []float64{-3}, "-97237.06150316461526539134"},
	{Erfcx, []int64{1}, []float64{0.5}, "-0.5126888229025866990253655"},
	{Erfcx, []int64{1}, []float64{7}, "-0.01117840648737150503805594"},
	{Erfcx, []int64{2}, []float64{12.5}, "0.0005668962566920223528994791"},
	{Erfcx, []int64{3}, []float64{2.0625}, "-0.08501523228860757459099102"},
	{Erfcx, []int64{4}, []float64{31}, "0.0000004692992233335528565897037"},
	{Erfcx, []int64{5}, []float64{0.125}, "-24.00990538263179854633682"},
	{Erfcx, []int64{9}, []float64{6.5}, "-0.0008528188497148305810338173"},
	{Erfcx, []int64{20}, []float64{3}, "131766.17195220878579908"},
	{Erfcx, []int64{2}, []float64{1e6}, "1.128379167092127436394885e-18"},
}

func TestReference(t *testing.T) {
	for _, c := range reference {
		exact, ok := new(big.Rat).SetString(c.want)
		if !ok {
			t.Fatal(c.want)
		}
		want := ball.FromRat(exact, 200)
		value := want.Float64()
		name := fmt.Sprint(c.ints, c.xs)
		if got := c.f.Float(c.ints, c.xs); math.Abs(got-value) > 0x1p-52*math.Abs(value) {
			t.Errorf("%s: %v, want %v", name, got, value)
		}
		for _, prec := range []uint{70, 200} {
			got := c.f.Multi(c.ints, exactly(c.xs), prec)
			if got.RelBits(300) < int64(prec)-4 {
				t.Errorf("%s: %v is too wide for %d bits", name, got, prec)
			}
			// The reference has 25 digits.
			slack := ball.New().Mul(want, ball.FromFloat64(1e-24), 64)
			if !ball.New().AddRad(want, slack).Overlaps(got) {
				t.Errorf("%s: %v, want %s", name, got, c.want)
			}
		}
		points := make([]interval.Interval, len(c.xs))
		for k, x := range c.xs {
			points[k] = interval.Point(x)
		}
		if y := c.f.Double(c.ints, points); y.Lo > value || y.Hi < value || y.Hi-y.Lo > 0x1p-50*math.Abs(value) {
			t.Errorf("%s: %v, want %v", name, y, value)
		}
	}
}

// TestContainment: the value at a random point of a set, with many bits, lies in the
// enclosure on the set.
func TestContainment(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, c := range reference {
		for range 3 {
			balls := make([]*ball.Ball, len(c.xs))
			sets := make([]interval.Interval, len(c.xs))
			inside := make([]*ball.Ball, len(c.xs))
			for k, x := range c.xs {
				r := math.Abs(x) * math.Ldexp(rng.Float64(), -rng.Intn(12))
				lo, hi := x-r*rng.Float64(), x+r*rng.Float64()
				if d := c.f.domain[k]; lo <= d.Lo || hi >= d.Hi {
					lo, hi = x, x
				}
				sets[k] = interval.Interval{Lo: lo, Hi: hi}
				balls[k] = ball.FromFloat64s(lo, hi)
				inside[k] = ball.FromFloat64(lo + (hi-lo)*rng.Float64())
				if !balls[k].Contains(inside[k]) {
					inside[k] = ball.FromFloat64(lo)
				}
			}
			value := c.f.Multi(c.ints, inside, 150)
			if y := c.f.Multi(c.ints, balls, 80); !y.Overlaps(value) {
				t.Errorf("%v on %v: %v misses %v", c.ints, balls, y, value)
			}
			if y := c.f.Double(c.ints, sets); !(y.Lo <= value.Float64() && value.Float64() <= y.Hi) {
				t.Errorf("%v on %v: %v misses %v", c.ints, sets, y, value)
			}
		}
	}
}

// TestEnds: sets that reach to the ends of a domain and beyond.
func TestEnds(t *testing.T) {
	whole := interval.Interval{Lo: 0, Hi: math.Inf(1)}
	if y := GammaP.Double([]int64{0, 0}, []interval.Interval{interval.Point(2), whole}); y.Lo != 0 || y.Hi != 1 {
		t.Errorf("P(2, [0, ∞)) is %v", y)
	}
	if y := BetaI.Double([]int64{0, 0, 0}, []interval.Interval{interval.Point(2), interval.Point(2), {Lo: -1, Hi: 0.5}}); y.Lo != 0 || y.Hi < 0.5 || y.Hi > 0.5001 {
		t.Errorf("I_[-1, 1/2](2, 2) is %v", y)
	}
	y := GammaP.Multi([]int64{0, 0}, []*ball.Ball{ball.FromInt64(2), ball.FromFloat64s(-1, 1)}, 64)
	if lo, hi := y.Float64s(); lo < -1e-9 || hi < 0.264 || hi > 0.265 || !y.Partial() {
		t.Errorf("P(2, [-1, 1]) is %v", y)
	}
	if y := GammaP.Multi([]int64{0, 0}, []*ball.Ball{ball.FromInt64(-2), ball.FromInt64(1)}, 64); !y.IsEmpty() {
		t.Errorf("P(-2, 1) is %v", y)
	}
	if y := GammaP.Float([]int64{0, 0}, []float64{1e300, 1e300}); !math.IsNaN(y) {
		t.Errorf("P(1e300, 1e300) is %v", y)
	}
}
