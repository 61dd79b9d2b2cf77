# Writes roots_optima.txt: programs and their values to 60 digits, by mpmath 1.3.
# Each value is a closed form, or the zero of an equation, and knows nothing of how
# Fluxion finds it. Run: python3 roots_optima.py > roots_optima.txt
from mpmath import *
mp.dps = 90

def zero(f, x): return findroot(f, x, tol=mpf(10) ** -85)
def w(c): return lambertw(c).real

dottie = zero(lambda x: cos(x) - x, 0.7)
kepler = zero(lambda x: x - sin(x) / 2 - 1, 1.5)
psi0 = zero(lambda x: digamma(x), 1.46)
xsin = zero(lambda x: sin(x) + x * cos(x), 2.03)
quintic = zero(lambda x: x**5 + x - 1, 0.75)
golden = (1 + sqrt(5)) / 2
moment = sin(1) - cos(1)  # of x sin x over [0, 1]

def fit(lam): return mpf(1) / 4 / (mpf(1) / 3 + lam)
def loss(lam): return fit(lam) ** 2 / 3 - 2 * fit(lam) * moment + (1 - sin(2) / 2) / 2
lam = mpf(1) / 10
w1 = -mpf(1) / 4 / (mpf(1) / 3 + lam) ** 2
w2 = mpf(1) / 2 / (mpf(1) / 3 + lam) ** 3
loss1 = (2 * fit(lam) / 3 - 2 * moment) * w1
loss2 = (2 * fit(lam) / 3 - 2 * moment) * w2 + 2 * w1**2 / 3

cases = r"""
root 0 2 (fun x => x^2 - 2)
sqrt(2)
root 1 2 (fun x => x^3 - x - 1)
zero(lambda x: x**3 - x - 1, 1.3)
root 0 1 (fun x => cos x - x)
dottie
root 0 3 (fun x => x * log (x + 1) - 2)
zero(lambda x: x * log(x + 1) - 2, 2)
root 0 1 (fun x => x * exp x - 1)
w(1)
root 3 4 sin
pi
root 1 2 cos
pi / 2
root 0.1 1 (fun x => log x + x)
w(1)
root 2 3 (fun x => log x - 1)
e
root 0 1 (fun x => tan x - 1)
pi / 4
root 0 1 (fun x => x^5 + x - 1)
quintic
root (-2) 0 (fun x => exp x + x)
-w(1)
root 0 2 (fun x => erf x - 1/2)
erfinv(mpf(1) / 2)
root 1 2 digamma
psi0
root 4.4 4.6 (fun x => tan x - x)
zero(lambda x: tan(x) - x, 4.493)
root 0 10 (fun x => x^2 - 2 * x - 7)
1 + 2 * sqrt(2)
root (-1) 3 (fun x => x^3 - 2 * x - 5)
zero(lambda x: x**3 - 2 * x - 5, 2.09)
root 0 1.5 (fun x => sinh x - 1)
asinh(1)
root 0 2 (fun x => 2 ** x - 3)
log(3) / log(2)
root 3 0 (fun x => x^2 - 5)
sqrt(5)
root 0 4 (fun x => x - 0.5 * sin x - 1)
kepler
cutRoot (fun x => 8 - x^3)
mpf(2)
cutRoot (fun x => 5 - x - sin x)
zero(lambda x: 5 - x - sin(x), 5.6)
cutRoot (fun x => 1000 - x - x^3)
zero(lambda x: 1000 - x - x**3, 9.96)
cutRoot (fun x => exp (-x) - x)
w(1)
cutRoot (fun x => -x - 1e6)
-mpf(10)**6
cutRoot (fun x => 1 - log x)
e
cutRoot (fun x => 0.001 - atan x)
tan(mpf(1) / 1000)
firstRoot (fun x => cos (10 * x))
pi / 20
firstRoot (fun x => (x - 0.25) * (x - 0.75))
mpf(1) / 4
firstRoot (fun x => sin (20 * x) + 0.5)
7 * pi / 120
firstRoot (fun x => x^2 - 1/3)
1 / sqrt(3)
firstRoot (fun x => 1 - 2 * exp (-5 * x))
log(2) / 5
deriv (fun c => root 0 2 (fun x => x^2 - c)) 2
1 / (2 * sqrt(2))
deriv (deriv (fun c => root 0 2 (fun x => x^2 - c))) 2
-mpf(1) / 4 * mpf(2) ** -1.5
deriv (deriv (deriv (fun c => root 0 2 (fun x => x^2 - c)))) 2
mpf(3) / 8 * mpf(2) ** -2.5
deriv (deriv (deriv (deriv (fun c => root 0 2 (fun x => x^2 - c))))) 2
-mpf(15) / 16 * mpf(2) ** -3.5
deriv (fun c => root 0 2 (fun x => x * exp x - c)) 1
w(1) / (1 + w(1))
deriv (deriv (fun c => root 0 2 (fun x => x * exp x - c))) 1
-(w(1) + 2) * exp(-2 * w(1)) / (1 + w(1)) ** 3
deriv (fun c => root 0 1.5 (fun x => tan x - c)) 1
mpf(1) / 2
deriv (deriv (fun c => root 0 1.5 (fun x => tan x - c))) 1
-mpf(1) / 2
deriv (deriv (deriv (fun c => root 0 1.5 (fun x => tan x - c)))) 1
mpf(1) / 2
deriv (deriv (fun c => root 0 2 (fun x => exp x - c))) 2
-mpf(1) / 4
deriv (fun c => cutRoot (fun x => c - x - x^3)) 2
mpf(1) / 4
deriv (deriv (fun c => cutRoot (fun x => c - x - x^3))) 2
-mpf(3) / 32
deriv (fun c => firstRoot (fun x => cos (c * x))) 10
-pi / 200
deriv (deriv (fun c => firstRoot (fun x => cos (c * x)))) 10
pi / 1000
deriv (fun a => root a 2 (fun x => x^2 - 2)) 1
mpf(0)
deriv (fun a => deriv (fun b => root 0 3 (fun x => a * x - b)) 2) 3
-mpf(1) / 9
deriv (fun a => root 0 10 (fun x => x^2 - a * x - 1)) 1
golden / sqrt(5)
deriv (fun b => root 0 10 (fun x => x^2 - x - b)) 1
1 / sqrt(5)
deriv (fun k => root 0 4 (fun x => x - k * sin x - 1)) 0.5
sin(kepler) / (1 - cos(kepler) / 2)
root 0 2 (fun x => x - root 0 2 (fun y => y^2 - x - 1))
golden
deriv (fun c => root 0 2 (fun x => x - root 0 2 (fun y => y^2 - x - c))) 1
1 / sqrt(5)
deriv (deriv (fun c => root 0 2 (fun x => x - root 0 2 (fun y => y^2 - x - c)))) 1
-2 * mpf(5) ** -1.5
integral01 (fun c => root 0 2 (fun x => x^2 - c - 1))
(2 * sqrt(2) - 1) * 2 / 3
maxOver 0 4 (fun x => x * (4 - x))
mpf(4)
maxOver 0 3 (fun x => x * exp (-x))
1 / e
maxOver 0 pi (fun x => x * sin x)
xsin * sin(xsin)
argmaxOver 0 pi (fun x => x * sin x)
xsin
maxOver 0 1 (fun x => x * (1 - x)^2)
mpf(4) / 27
maxOver 0.1 5 (fun x => log x / x)
1 / e
argmaxOver 0.1 5 (fun x => log x / x)
e
minOver 0.1 2 (fun x => x * log x)
-1 / e
argminOver 0.1 2 (fun x => x * log x)
1 / e
minOver 0.5 3 lgamma
log(gamma(psi0))
argminOver 0.5 3 lgamma
psi0
maxOver 0 10 (fun x => exp (-x) * sin x)
exp(-pi / 4) / sqrt(2)
argmaxOver 0 10 (fun x => exp (-x) * sin x)
pi / 4
maxOver (-3) 3 (fun x => sin x + cos x)
sqrt(2)
maxOver 0 1 exp
e
argmaxOver 0 1 exp
mpf(1)
maxOver 0 8 sin
mpf(1)
maxOver (-1) 1 (fun x => x^2 - x^4)
mpf(1) / 4
~minOver 0 2 (fun x => (x - 1)^4 + 1)
mpf(1)
maxOver 0 1 (fun x => -(abs (x - 1/3)))
mpf(0)
minOver 0 3 (fun x => max (2 - x) (x^2 / 2))
3 - sqrt(5)
argminOver 0 3 (fun x => max (2 - x) (x^2 / 2))
sqrt(5) - 1
deriv (fun c => minOver 0 3 (fun x => max (c - x) (x^2 / 2))) 2
1 - 1 / sqrt(5)
deriv (deriv (fun c => minOver 0 3 (fun x => max (c - x) (x^2 / 2)))) 2
mpf(5) ** -1.5
deriv (fun c => argminOver 0 3 (fun x => max (c - x) (x^2 / 2))) 2
1 / sqrt(5)
deriv (fun c => maxOver 0 1 (fun x => -(abs (x - c)))) (1/3)
mpf(0)
deriv (fun c => maxOver 0 4 (fun x => c * x - x^2)) 3
mpf(3) / 2
deriv (deriv (fun c => maxOver 0 4 (fun x => c * x - x^2))) 3
mpf(1) / 2
deriv (fun c => argmaxOver 0 4 (fun x => c * x - x^2)) 3
mpf(1) / 2
deriv (fun c => maxOver 0 5 (fun x => x * exp (-(c * x)))) 1
-1 / e
deriv (deriv (fun c => maxOver 0 5 (fun x => x * exp (-(c * x))))) 1
2 / e
deriv (fun c => argmaxOver 0 5 (fun x => x * exp (-(c * x)))) 1
mpf(-1)
deriv (deriv (deriv (fun c => argmaxOver 0 5 (fun x => x * exp (-(c * x)))))) 1
mpf(-6)
deriv (fun c => maxOver 0 c exp) 1
e
deriv (deriv (fun c => maxOver 0 c exp)) 1
e
deriv (fun b => maxOver b 3 (fun x => -(x^2))) 1
mpf(-2)
deriv (fun b => argmaxOver b 3 (fun x => -(x^2))) 1
mpf(1)
deriv (fun b => maxOver b (b + 3) (fun x => x * (2 - x))) 0.5
mpf(0)
deriv (fun c => minOver (-4) 4 (fun x => x^4 / 4 - c * x)) 8
mpf(-2)
deriv (deriv (fun c => minOver (-4) 4 (fun x => x^4 / 4 - c * x))) 8
-mpf(1) / 12
deriv (deriv (fun c => argminOver (-4) 4 (fun x => x^4 / 4 - c * x))) 8
-mpf(1) / 144
maxOver (-5) 5 (fun x => 2 * x - exp x)
2 * log(2) - 2
deriv (fun c => maxOver (-5) 5 (fun x => c * x - exp x)) 2
log(2)
deriv (deriv (fun c => maxOver (-5) 5 (fun x => c * x - exp x))) 2
mpf(1) / 2
deriv (deriv (deriv (fun c => maxOver (-5) 5 (fun x => c * x - exp x)))) 2
-mpf(1) / 4
deriv (fun a => deriv (fun b => maxOver (-10) 10 (fun x => a * x - b * x^2)) 2) 3
-mpf(3) / 8
maxOver 0 1 (fun x => minOver 0 1 (fun y => (x - y)^2 + x * y))
mpf(3) / 4
maxOver (-1) 1 (fun x => minOver (-1) 1 (fun y => x * y - x^2 / 2 + y^2 / 2 + x))
mpf(1) / 4
deriv (fun c => maxOver (-1) 1 (fun x => minOver (-1) 1 (fun y => x * y - x^2 / 2 + y^2 / 2 + c * x))) 1
mpf(1) / 2
deriv (deriv (fun c => maxOver (-1) 1 (fun x => minOver (-1) 1 (fun y => x * y - x^2 / 2 + y^2 / 2 + c * x)))) 1
mpf(1) / 2
minOver 0 1 (fun c => integral01 (fun x => (x - c)^2))
mpf(1) / 12
argminOver 0 5 (fun c => integral01 (fun x => (exp x - c * x)^2))
mpf(3)
integral01 (fun c => maxOver 0 1 (fun x => c * x - x^2 / 2))
mpf(1) / 6
~minOver 0 1 (fun c => maxOver 0 1 (fun x => abs (x^2 - c)))
mpf(1) / 2
""" .strip().split("\n")

def digits(v):
    if v == 0:
        return "0!"  # exactly
    return nstr(v, 62 + max(0, int(floor(log10(abs(v))))), strip_zeros=False, min_fixed=-inf, max_fixed=inf)

print("# Written by roots_optima.py: a program, the statement of mpmath that is its value, the value.")
print("# A ~ marks those whose cost grows with the digits; they are not asked for many.")
def case(text, statement):
    print(text)
    print("# " + statement)
    print(digits(eval(statement)))

for text, statement in zip(cases[0::2], cases[1::2]):
    case(text, statement)

hyper = "let fit lam = argminOver (-4) 4 (fun w => integral01 (fun x => (w * x - x^2)^2) + lam * w^2) in "
hyper += "let loss lam = integral01 (fun x => (fit lam * x - sin x)^2) in "
case(hyper + "deriv loss 0.1", "loss1")
case(hyper + "deriv (deriv loss) 0.1", "loss2")
