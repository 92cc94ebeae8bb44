import { expect, test } from 'vitest'
import { htmlToText } from '../../src/web/html.ts'

test.each<[html: string, text: string]>([
  ['<h1>Head</h1><p>one</p><p>two</p>', 'Head\n\none\n\ntwo'],
  ['a<!-- no <b> -->b<!-->c<!---->d', 'a b c d'],
  ['a<script>if (a < b) "</p>"</script>b<STYLE>p{}</STYLE>c', 'a b c'],
  ['a<script>never ends', 'a'],
  ['a<scripted>b</scripted>', 'ab'],
  ['<ul><li>a<li>b</ul>', ' * a\n * b'],
  ['<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>', '* a\n   * b\n     * c\n * d'],
  ['<ol><li>a<li><p>b</p><p>c</p><li>d</ol>', '1. a\n\n 2. b\n\nc\n\n 3. d'],
  ['<ol start=9><li>a<li>b</ol><ol start=x><li>c</ol>', '9. a\n 10. b\n\n 1. c'],
  ['<p>x</p><blockquote>a<br>b<blockquote>c</blockquote></blockquote>y', 'x\n\n> a\n> b\n>\n> c\n\ny'],
  ['<a href="https://x.test/y">name</a>', 'name [https://x.test/y]'],
  ['<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>', 'a | b |\n1 | 2 |'],
  ['&lt;b&gt; &amp; &eacute; &#128512;', '<b> & é 😀'],
  ['<pre>a\n  b</pre>', 'a\n  b'],
  ['<img src="x" alt="no">a', 'a'],
])('htmlToText(%j)', (html, text) => {
  expect(htmlToText(html)).toEqual({ text: text.trim(), truncated: false })
})

const size = 5 * 1024 * 1024
const filled = (part: string, start = ''): string => start + part.repeat(Math.floor((size - start.length) / part.length))

// Each of them took from 1 to 40 seconds unbounded. The limit is far above what they take now, on a machine that does other work too.
test.each<[what: string, html: string]>([
  ['folders in folders', filled('<div>')],
  ['bold in bold', filled('<b>')],
  ['tables in tables', filled('<table><tr><td>')],
  ['lists in lists', filled('<ul><li>a')],
  ['quotes in quotes', filled('<blockquote>a')],
  ['links', filled('<p>text <a href="http://x/y">l</a></p>')],
  ['a long table', filled('<tr><td>a<td>b</tr>', '<table>')],
  ['a wide table', filled('<td>a', '<table><tr>')],
  ['cells that span', filled('<tr><td colspan=1000 rowspan=1000>a', '<table>')],
  ['words', filled('word ', '<p>')],
  ['blanks', filled(' ', '<pre>a')],
  ['blanks and a letter', filled(`${' '.repeat(1_000)}a`, '<pre>')],
  ['newlines', filled('\n', '<pre>')],
  ['brackets', filled('<')],
  ['comments that never end', filled('<!--')],
  ['scripts that never end', filled('<script>')],
  ['ends of scripts', filled('</script')],
  ['scripts', filled('<script></script>')],
  ['attributes', filled('a=b ', '<p ')],
  ['entities', filled('&amp;')],
  ['ends of nothing', filled('</p>')],
  ['lines in quotes', filled('w\n', `${'<blockquote>'.repeat(95)}<pre>`)],
  ['lines in lists', filled('w\n', `${'<ul><li>'.repeat(45)}<pre>`)],
  ['lines in numbered lists and quotes', filled('w\n', `${'<ol><li><blockquote>'.repeat(30)}<pre>`)],
  ['lines in headings', filled('w\n', `${'<h1>'.repeat(90)}<pre>`)],
  ['paragraphs in bold', filled('<p>x</p>', '<b>'.repeat(90))],
  ['ends of another name', filled('</q>', '<span>'.repeat(4_000))],
])('htmlToText() of 5 MiB of %s is bounded in time and size', (_what, html) => {
  const started = performance.now()
  const { text } = htmlToText(html)
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(text.length).toBeLessThan(1024 * 1024)
})

test('htmlToText() says that it looked at the beginning only, and gives that', () => {
  const { text, truncated } = htmlToText(filled('<p>text</p>'))
  expect([truncated, text.startsWith('text\n\ntext')]).toEqual([true, true])
})

test('scripts do not use up what is looked at', () => {
  expect(htmlToText(`<script>${'a<b '.repeat(500_000)}</script><p>seen</p>`)).toEqual({ text: 'seen', truncated: false })
})
