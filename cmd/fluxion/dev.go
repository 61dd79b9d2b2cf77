package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func devCommand() *command {
	var stage, fn, arch string
	var derive bool
	var budget budgetFlags
	words := []string{"core", "loops", "stages", "asm", "regions"}
	return &command{
		name:    "dev",
		args:    "core|loops|stages|asm|regions [FLAGS] FILE",
		summary: "look inside the implementation",
		help: `dev core FILE prints the typed core that FILE becomes, in a form that can be read
back. --stage says after which stage:

  check   as elaborated: polymorphic, FILE alone
  link    with everything that it uses
  mono    one copy per type, inlined and simplified: what evaluators take
  code    the instructions of the interpreter

If the name of FILE ends in .core, FILE is such a text. It is read, verified and printed back.

dev loops FILE --fn f prints the loop form that the definition f is compiled from. With --grad
it prints the loop form of the gradient. Without --fn it says of each definition whether it is
compiled, and why not.

dev stages FILE --fn f prints f, or with --grad its gradient, after each stage that changes it:
its core, the loop form as lowered, as differentiated, and after every pass. If f is not
compiled, it says why and where.

dev asm FILE --fn f prints the machine code of f, or with --grad of its gradient, beside the
statements of its loop form. The code is for this machine or for the one that --arch names.

dev regions FILE runs FILE and says which parts of it ran as compiled code, and why others did
not. If FILE has nothing to run, all its definitions are compiled.

Examples:
  fluxion dev core program.flx
  fluxion dev core --stage mono program.flx
  fluxion dev loops program.flx --fn objective --grad
  fluxion dev stages program.flx --fn objective --grad
  fluxion dev asm program.flx --fn objective
  fluxion dev asm program.flx --fn objective --arch arm64
  fluxion dev regions program.flx`,
		words: words,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&stage, "stage", "check",
				"print the core after `STAGE`: check, link, mono or code")
			flags.StringVar(&fn, "fn", "",
				"print the loop form or machine code of the definition `NAME`")
			flags.StringVar(&arch, "arch", "",
				"print machine code for `NAME`, amd64 or arm64 (default this machine)")
			flags.BoolVar(&derive, "grad", false,
				"print the loop form or machine code of the gradient of the definition")
			budget.registerLimits(flags)
			budget.registerDerivatives(flags)
			budget.registerEngine(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 2 || !slices.Contains(words, c.args[0]) {
				return c.usage(errors.New("say what to print, and of which file"))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			switch c.args[0] {
			case "regions":
				return c.showRegions(ctx, c.args[1], &budget)
			case "loops":
				return c.showLoops(c.args[1], fn, derive, loopForm())
			case "stages":
				if fn == "" {
					return c.usage(errors.New("say of which definition: --fn NAME"))
				}
				return c.showLoops(c.args[1], fn, derive, stages())
			case "asm":
				if !slices.Contains([]string{"", "amd64", "arm64"}, arch) {
					return c.usage(fmt.Errorf(
						"there is no machine code for `%s`; there is for amd64 and arm64", arch))
				}
				return c.showLoops(c.args[1], fn, derive, assembly(arch))
			}
			if strings.HasSuffix(c.args[1], ".core") {
				return c.readCore(c.args[1])
			}
			var list diag.List
			unit := world().Until(ctx).LoadFile(c.args[1], &list)
			if unit == nil || list.Failed() {
				return c.report(&list)
			}
			text, d := showStage(unit, stage)
			if d != nil {
				return c.fail(d)
			}
			if text == "" {
				return c.usage(fmt.Errorf("there is no stage `%s`", stage))
			}
			return c.showCore(stage, text)
		},
	}
}

// readCore reads core text, verifies it and prints it back.
func (c *call) readCore(path string) int {
	text, err := driver.ReadSource(path)
	if err != nil {
		return c.fail(driver.CannotRead(diag.Span{}, path, err))
	}
	program, d := core.Parse(path, text)
	if d != nil {
		return c.fail(d)
	}
	if err := core.Verify(program, core.Poly); err != nil {
		return c.fail(diag.Errorf(diag.BadCore, diag.Span{}, "%s does not verify: %v", path, err))
	}
	return c.showCore("check", core.Print(program))
}

// showCore prints the text of a program at a stage.
func (c *call) showCore(stage, text string) int {
	if c.json {
		c.printJSON(map[string]string{"stage": stage, "text": text})
	} else {
		fmt.Fprint(c.out, text)
	}
	return exitOK
}

// showStage returns a unit's text after a stage, or "" if there is no stage of that name.
func showStage(unit *driver.Unit, stage string) (string, *diag.Diagnostic) {
	program, d := unit.Core, (*diag.Diagnostic)(nil)
	switch stage {
	case "check":
	case "link":
		program, d = driver.Link(unit)
	case "mono", "code":
		program, d = driver.Prepare(context.Background(), unit, true)
	default:
		return "", nil
	}
	if d != nil {
		return "", d
	}
	if stage == "code" {
		code, d := interp.Compile(program)
		if d != nil {
			return "", d
		}
		return code.Disassemble(), nil
	}
	return core.Print(program), nil
}
