#!/usr/bin/env python3
"""Writes integrals.txt: integrals and their derivatives, with their values to 60 digits from closed
forms, evaluated by mpmath. A line is an expression, how fine it is asked for (fine: down to 1e-40,
coarse: down to 1e-10), and its value, separated by tabs.
"""

from mpmath import *

mp.dps = 90

FINE = [
    # polynomials and powers
    ("integral01 (fun x => x^7 - 3 * x^2 + 1)", mpf(1) / 8),
    ("integral (-2) 3 (fun x => x^5 - x)", mpf(665) / 6 - mpf(5) / 2),
    ("integral 3 1 (fun x => x^2)", -mpf(26) / 3),
    ("integral01 (fun x => (1 + x)^20)", (mpf(2) ** 21 - 1) / 21),
    ("integral01 (fun x => 1 / (1 + x))", log(2)),
    ("integral01 (fun x => 1 / (1 + x^2))", pi / 4),
    ("integral01 (fun x => 1 / (1 + 25 * x^2))", atan(5) / 5),
    ("integral01 (fun x => 1 / (1 + x^4))", (pi + 2 * log(1 + sqrt(2))) / (4 * sqrt(2))),
    ("integral01 (fun x => x / (1 + x)^3)", mpf(1) / 8),
    ("integral 1 2 (fun x => x ** (-2.5))", (1 - mpf(2) ** mpf(-1.5)) / mpf(1.5)),
    ("integral01 (fun x => sqrt (1 + x))", 2 * (2 * sqrt(mpf(2)) - 1) / 3),
    ("integral01 (fun x => sqrt (1 + x^2))", (sqrt(2) + asinh(1)) / 2),
    ("integral 1 4 (fun x => cbrt x)", mpf(3) / 4 * (cbrt(4) * 4 - 1)),
    ("integral01 (fun x => 1 / sqrt (4 - x^2))", pi / 6),
    # exponentials and logarithms
    ("integral01 (fun x => exp x)", e - 1),
    ("integral01 (fun x => exp (-(x^2)))", sqrt(pi) / 2 * erf(1)),
    ("integral01 (fun x => x^3 * exp (-x))", 6 - 16 / e),
    ("integral 0 5 (fun x => exp (-x) * sin x)", (1 - exp(mpf(-5)) * (sin(5) + cos(5))) / 2),
    ("integral 1 2 (fun x => log x)", 2 * log(2) - 1),
    ("integral 1 3 (fun x => log x / x)", log(3) ** 2 / 2),
    ("integral01 (fun x => log (1 + x))", 2 * log(2) - 1),
    ("integral01 (fun x => log (1 + x) / (1 + x^2))", pi * log(2) / 8),
    ("integral01 (fun x => x * exp (x^2))", (e - 1) / 2),
    ("integral01 (fun x => 2 ** x)", 1 / log(2)),
    ("integral01 (fun x => exp x / (1 + exp x))", log((1 + e) / 2)),
    ("integral01 (fun x => exp (exp x))", ei(e) - ei(1)),
    # circular and hyperbolic
    ("integral 0 pi (fun x => sin x)", mpf(2)),
    ("integral 0 (2 * pi) (fun x => sin x)", mpf(0)),
    ("integral01 (fun x => cos (x^2))", fresnelc(sqrt(2 / pi)) * sqrt(pi / 2)),
    ("integral01 (fun x => sin (10 * x)^2)", mpf(1) / 2 - sin(20) / 40),
    ("integral01 (fun x => tan x)", -log(cos(1))),
    ("integral01 (fun x => atan x)", pi / 4 - log(2) / 2),
    ("integral 0 0.5 (fun x => asin x)", asin(mpf(1) / 2) / 2 + sqrt(mpf(3) / 4) - 1),
    ("integral01 (fun x => cosh x)", sinh(1)),
    ("integral01 (fun x => tanh x)", log(cosh(1))),
    ("integral01 (fun x => 1 / cosh x)", 2 * atan(tanh(mpf(1) / 2))),
    ("integral 0 (2 * pi) (fun x => exp (cos x))", 2 * pi * besseli(0, 1)),
    ("integral 0 pi (fun x => cos (2 * sin x))", pi * besselj(0, 2)),
    ("integral 0 (2 * pi) (fun x => 1 / (2 + cos x))", 2 * pi / sqrt(3)),
    ("integral 0 (pi / 2) (fun x => 1 / sqrt (1 - 0.25 * sin x^2))", ellipk(mpf(1) / 4)),
    ("integral 0 (pi / 2) (fun x => sqrt (1 - 0.25 * sin x^2))", ellipe(mpf(1) / 4)),
    ("integral01 (fun x => sigmoid x)", log((1 + e) / 2)),
    ("integral01 (fun x => erf x)", erf(1) + (exp(mpf(-1)) - 1) / sqrt(pi)),
    ("integral 1 2 (fun x => digamma x)", mpf(0)),
    # kinks and jumps
    ("integral01 (fun x => abs (x - 1/3))", mpf(5) / 18),
    ("integral01 (fun x => relu (x^2 - 0.5))", mpf(1) / 3 - mpf(1) / 2 + sqrt(mpf(2)) / 6),
    ("integral01 (fun x => abs (x - sqrt 0.5))", (mpf(1) - sqrt(mpf(2)) + 1) / 2),
    ("integral 0 3 (fun x => max (sin (3 * x)) (cos (3 * x)))",
     (lambda F: F)((1 / mpf(3)) * (sin(pi / 4) + (cos(pi / 4) - cos(5 * pi / 4)) + (sin(9 * pi / 4) - sin(5 * pi / 4))
                                   + (cos(9 * pi / 4) - cos(mpf(9)))))),
    ("integral01 (fun x => abs (cos (7 * x)))", (4 + sin(7)) / 7),
    ("integral01 (fun x => max x (max (1 - x) 0.7))", mpf(7) / 10 + mpf(9) / 100),
    ("integral01 (fun x => if x^2 < 0.5 then 1 else x)", sqrt(mpf(1) / 2) + mpf(1) / 4),
    ("integral01 (fun x => if exp x < 2 then x else exp x)", log(2) ** 2 / 2 + e - 2),
    ("integral 0 4 (fun x => real (floor (x^2)))",
     64 - sum(sqrt(mpf(k)) for k in range(1, 17)) + 0),
    # derivatives by a parameter, and by bounds
    ("deriv (fun c => integral01 (fun x => relu (x - c))) 0.6", -mpf(2) / 5),
    ("deriv (deriv (fun c => integral01 (fun x => relu (x - c)))) 0.6", mpf(1)),
    ("deriv (deriv (fun c => integral01 (fun x => abs (x^2 - c)))) 0.3", 1 / sqrt(mpf(3) / 10)),
    ("deriv (deriv (deriv (fun c => integral01 (fun x => abs (x^2 - c))))) 0.3", -mpf(0.5) * (mpf(3) / 10) ** mpf(-1.5)),
    ("deriv (fun c => integral01 (fun x => if x < c then 0 else 1)) 0.3", -mpf(1)),
    ("deriv (fun c => integral01 (fun x => if x^2 < c then exp x else 0)) 0.3",
     exp(sqrt(mpf(3) / 10)) / (2 * sqrt(mpf(3) / 10))),
    ("deriv (deriv (fun c => integral01 (fun x => if x < c then exp (c * x) else 0))) 0.5",
     diff(lambda c: (exp(c * c) - 1) / c, mpf(1) / 2, 2)),
    ("deriv (fun s => integral01 (fun x => exp (s * x))) 1", mpf(1)),
    ("deriv (deriv (fun s => integral01 (fun x => exp (s * x)))) 1", e - 2),
    ("deriv (fun b => integral 0 b (fun x => exp (-(x^2)))) 1", 1 / e),
    ("deriv (deriv (fun b => integral 0 b (fun x => exp (-(x^2))))) 1", -2 / e),
    ("deriv (fun a => integral a 1 (fun x => sin (a * x))) 0.5",
     diff(lambda a: (cos(a * a) - cos(a)) / a, mpf(1) / 2)),
    ("deriv (deriv (deriv (fun b => integral (b^2) (2 * b) (fun x => sin (b * x))))) 1",
     diff(lambda b: (cos(b ** 3) - cos(2 * b * b)) / b, mpf(1), 3)),
    ("deriv (fun c => integral 0 c (fun x => abs (x - c^2))) 0.5",
     diff(lambda c: c ** 4 / 2 + (c - c * c) ** 2 / 2, mpf(1) / 2)),
    # nested
    ("integral01 (fun x => integral01 (fun y => exp (x * y)))", ei(1) - euler),
    ("integral01 (fun x => integral01 (fun y => 1 / (1 + x * y)))", pi ** 2 / 12),
    ("integral01 (fun x => integral 0 x (fun y => cos (x + y)))", cos(1) - mpf(1) / 2 - cos(2) / 2),
    ("deriv (fun c => integral01 (fun x => integral01 (fun y => exp (c * x * y)))) 1",
     diff(lambda c: (ei(c) - euler - log(c)) / c, mpf(1))),
    # infinite ranges
    ("integralLine (fun x => exp (-(x^2) / 2))", sqrt(2 * pi)),
    ("integralLine (fun x => x^2 * exp (-(x^2) / 2))", sqrt(2 * pi)),
    ("integralFrom 0 (fun x => exp (-x) * x^3)", mpf(6)),
    ("integralFrom 1 (fun x => exp (-x) / x)", e1(1)),
    ("integralTo 0 (fun x => exp (2 * x))", mpf(1) / 2),
    ("deriv (fun s => integralLine (fun x => exp (-s * x^2))) 2", -sqrt(pi) / 2 * mpf(2) ** mpf(-1.5)),
]

COARSE = [
    ("integral01 (fun x => sqrt x)", mpf(2) / 3),
    ("integral01 (fun x => x * sqrt (1 - x))", mpf(4) / 15),
    ("integral01 (fun x => sqrt (1 - x^2))", pi / 4),
    ("integral01 (fun x => sqrt (abs (x - 1/3)))", mpf(2) / 3 * ((mpf(1) / 3) ** mpf(1.5) + (mpf(2) / 3) ** mpf(1.5))),
    ("integral01 (fun x => cbrt x)", mpf(3) / 4),
    ("integral01 (fun x => x ** 0.3)", 1 / mpf("1.3")),
    ("integral01 (fun x => 1 / sqrt x)", mpf(2)),
    ("integral01 (fun x => log x)", -mpf(1)),
    ("integral01 (fun x => log x^2)", mpf(2)),
    ("integral01 (fun x => 1 / sqrt (1 - x^2))", pi / 2),
    ("integral01 (fun x => sin x / x)", si(1)),
    ("integral01 (fun x => log x / (1 - x))", -pi ** 2 / 6),
    ("integral01 (fun x => x ** (-0.75))", mpf(4)),
    ("integral (-1) 1 (fun x => 1 / sqrt (abs x))", mpf(4)),
    ("integral01 (fun x => max (x^2) (x^3))", mpf(1) / 3),
    ("integral01 (fun x => max 0 ((x - 1/3)^3))", mpf(4) / 81),
    ("integralFrom 1 (fun x => 1 / x^2)", mpf(1)),
    ("integralLine (fun x => 1 / (1 + x^2))", pi),
    ("integralFrom 0 (fun x => x ** (-0.5) * exp (-x))", sqrt(pi)),
    ("integral01 (fun x => integral01 (fun y => abs (x - y)))", mpf(1) / 3),
    ("integral01 (fun x => integral01 (fun y => if x + y < 1 then 1 else 0))", mpf(1) / 2),
    ("deriv (fun c => integral01 (fun x => integral01 (fun y => max 0 (c - x * y)))) 0.5",
     mpf(1) / 2 - log(mpf(1) / 2) / 2),
    ("deriv (fun p => integral01 (fun x => x ** p)) 0.5", -1 / mpf(1.5) ** 2),
]

with open("integrals.txt", "w") as out:
    out.write("# Written by integrals.py; do not edit.\n")
    for kind, rows in (("fine", FINE), ("coarse", COARSE)):
        for text, value in rows:
            digits = nstr(value, 62, strip_zeros=False, min_fixed=-inf, max_fixed=inf) if value else "0"
            out.write("%s\t%s\t%s\n" % (text, kind, digits))
