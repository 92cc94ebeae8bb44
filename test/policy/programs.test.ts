import { describe, expect, test } from 'vitest'
import { awkProblem, jqProblem, programProblem, sedProblem } from '../../src/policy/programs.ts'

describe('sedProblem()', () => {
  test.each([
    ['1,5p'],
    ['$d'],
    ['$!N;P;D'],
    ['1!G;h;$!d'],
    ['0~3p'],
    ['2,~4p'],
    ['/a/,+3d'],
    ['/a/I,/b/Id'],
    ['\\%a/b%p'],
    ['s/a/b/'],
    ['s/a/b/gI;s,c,d,2p'],
    ['s|/e|/w|g'],
    ['s/a\\/e/b\\/w/g'],
    ['s/[a-z]/x/'],
    ['s/a/b\\\nc/'],
    ['y/abc/xyz/'],
    ['/a/{s/b/c/;p;q}'],
    ['/a/{\np\n}'],
    [':a;N;$!ba;s/\\n/ /g'],
    ['a\\\nw file'],
    ['i text; e id'],
    ['a\\\nfirst\\\ne second'],
    ['# w file\np'],
    ['q5'],
    ['l 3'],
    [''],
    ['='],
  ])('finds nothing in %j', script => {
    expect(sedProblem(script)).toBeUndefined()
  })

  test.each([
    ['e'],
    ['1e id'],
    ['e id'],
    ['w out'],
    ['1,3w out'],
    ['/a/w out'],
    ['W out'],
    ['r in'],
    ['R in'],
    ['s/a/b/e'],
    ['s/a/b/ge'],
    ['s/a/b/w out'],
    ['s/a/b/ w out'],
    ['s,a,b,e'],
    ['sxaxbxe'],
    ['s/a\\/b/c/e'],
    ['p;e id'],
    ['p\ne id'],
    ['{p;e id}'],
    ['/a/{e id\n}'],
    ['\\%a%e id'],
    ['/a\\/b/e id'],
    ['1!e id'],
    ['$!e id'],
    ['i text\ne id'],
    ['a\\\ntext\ne id'],
    ['a\\ \ntext'],
    ['# c\nw out'],
    [':a;e id'],
    ['y/a/b/;e id'],
    ['s/[/]/x/e'],
    ['s/[/]/x/'],
    ['s/a/b'],
    ['s/a\n/b/'],
    ['/a'],
    ['v'],
    ['1'],
    ['pe id'],
    ['}e id'],
    ['sµaµbµ'],
  ])('finds a problem in %j', script => {
    expect(sedProblem(script)).toBeTypeOf('string')
  })
})

describe('awkProblem()', () => {
  test.each([
    ['{print $1}'],
    ['NR>=300 && NR<=430'],
    ['$3 >= 1000 && $1 != "x" {print $1 "|" $3}'],
    ['/a|b/ {print}'],
    ['!/a/'],
    ['$1 ~ /a\\/b/ {n++} END {print n/2}'],
    ['{print ($1 + $2) / 2, "/" $3 "/"}'],
    ['{print (a > b)}'],
    ['{if ($1 > 5) print "x > y"; else print "y | z"}'],
    ['{x = $1 > 5 ? "a" : "b"; print x}'],
    ['BEGIN {for (i = 0; i < 3; i++) s += i; print s}'],
    ['{print $1\n  n = $2 > 3}'],
    ['function f(x) {return x * 2} {print f($1)}'],
    ['# system("x")\n{print}'],
    ['{print "system(\\"x\\")", "getline"}'],
    ['/system\\(/ {print}'],
    ['{a[$1] += $2} END {for (k in a) print k, a[k]}'],
    ['{gsub(/"/, ""); print}'],
    ['if_1 / 2'],
    ['length($0) > 80'],
    ['{printf "%s %d\\n", $1, $2 * 1e3}'],
    ['/[[:space:]]/ && /[^]a]/'],
    [''],
  ])('finds nothing in %j', program => {
    expect(awkProblem(program)).toBeUndefined()
  })

  test.each([
    ['BEGIN{system("id")}'],
    ['BEGIN { system ("id") }'],
    ['{print > "f"}'],
    ['{print >> "f"}'],
    ['{print $1 > $2}'],
    ['{printf "%s", $1 > "f"}'],
    ['{print(1)(2) > "f"}'],
    ['{print a[b > c]}'],
    ['{print (1,\n2) > "f"}'],
    ['{print 1,\n2 > "f"}'],
    ['{print 1 &&\n2 > "f"}'],
    ['{print | "sh"}'],
    ['{print |& "sh"}'],
    ['"id" | getline'],
    ['{getline < "f"}'],
    ['BEGIN{f = "system"; @f("id")}'],
    ['@load "x"'],
    ['@include "x"'],
    ['BEGIN{ARGV[1] = "/etc/passwd"; ARGC = 2}'],
    ['BEGIN{SYMTAB["x"] = 1}'],
    ['awk::system("id")'],
    ['if (x) /"/; system("id"); /"/'],
    ['{if (x) /"/; system("id"); y = /"/}'],
    ['{x = 1\n/"/; system("id") #"/\n}'],
    ['{print length / "x/ "; system("id")}'],
    ['/[/]/; system("id") #/]/'],
    ['{print "a'],
    ['/a'],
    ["{print 'x'}"],
    ['{print `id`}'],
    ['{print é}'],
  ])('finds a problem in %j', program => {
    expect(awkProblem(program)).toBeTypeOf('string')
  })
})

describe('jqProblem()', () => {
  test.each([
    ['.'],
    ['.a | .b'],
    ['.scripts | keys[]'],
    ['.plugins[] | "\\(.name)\\t\\(.version)"'],
    ['.env'],
    ['.["env"]'],
    ['select(.x == "import")'],
    ['.a // "include"'],
    ['map(select(.b > 1)) | length'],
    ['[.[] | {a: .b, c: (.d | tostring)}]'],
    ['. as $x | $x.a'],
    ['"a \\("b \\(.c) d") e"'],
    ['# env\n.'],
    ['.environment'],
  ])('finds nothing in %j', filter => {
    expect(jqProblem(filter)).toBeUndefined()
  })

  test.each([
    ['env'],
    ['env.PATH'],
    ['$ENV'],
    ['$ ENV'],
    ['.a | $ENV.PATH'],
    ['import "a" as a; .'],
    ['include "a"; .'],
    ['input_filename'],
    ['"\\(env)"'],
    ['"\\("\\($ENV)")"'],
    ['{a: env}'],
    ['a::b'],
    ['"abc'],
    ['"\\(.a"'],
    ['.a)'],
    ['[.a'],
    ['. # x\\\n| env'],
    ['"a"env"b"'],
  ])('finds a problem in %j', filter => {
    expect(jqProblem(filter)).toBeTypeOf('string')
  })
})

test('programProblem() reads each language by its own grammar', () => {
  expect(programProblem('sed', 'p')).toBeUndefined()
  expect(programProblem('awk', '{print}')).toBeUndefined()
  expect(programProblem('jq', '.a')).toBeUndefined()
  expect(programProblem('sed', '{print}')).toBeTypeOf('string')
})
