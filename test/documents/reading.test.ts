/** That examples are found, run and compared as they must be: what a page shows wrongly is noticed. */
import { describe, expect, test } from 'vitest';
import { readPage } from './examples.ts';
import { fillIn, runInTurn } from './shell.ts';
import { comparison } from './shown.ts';

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

describe('of a page', () => {
  test('a shell block with curl is an example, and the next block its reply', () => {
    const text = [
      '# A',
      fenced('sh', 'npm ci'),
      fenced('sh', 'curl x'),
      'Answers:',
      fenced('json', '{}'),
    ];
    expect(readPage(text.join('\n'))).toMatchObject({
      commands: ['npm ci'],
      examples: [{ line: 5, script: 'curl x', shown: { line: 9, language: 'json', text: '{}' } }],
      strays: [],
    });
  });

  test.each([
    ['the next example', fenced('sh', 'curl y')],
    ['a heading', '## B'],
    ['the end', ''],
  ])('an example has no reply when %s comes first', (_what, next) => {
    const text = [fenced('sh', 'curl x'), next, fenced('json', '{}')].join('\n');
    const [example] = readPage(next === '' ? fenced('sh', 'curl x') : text).examples;
    expect(example).toEqual({ line: 1, script: 'curl x', shown: undefined });
  });

  test('a block that calls a function of an earlier one is an example too', () => {
    const text = [
      fenced('sh', 'ask() {\n  curl x\n}\nask 1'),
      fenced('sh', 'ask 2'),
      fenced('sh', 'npm ci'),
    ];
    const scripts = readPage(text.join('\n')).examples.map(({ script }) => script);
    expect(scripts).toEqual(['ask() {\n  curl x\n}\nask 1', 'ask 2']);
  });

  test('so is one that calls a function of the page before it', () => {
    const { examples, functions } = readPage(fenced('sh', 'ask 1'), ['ask']);
    expect(examples).toEqual([{ line: 1, script: 'ask 1', shown: undefined }]);
    expect(functions).toEqual(['ask']);
  });

  test('its links within the project are found, and where links to it may lead', () => {
    const text = [
      '## At `/read`: what, and why',
      'See [it](a.md#b-c), [here](#d) and [there](https://x.org).',
      '`[no](link.md)`',
      fenced('sh', '[none](at-all.md)'),
    ];
    expect(readPage(text.join('\n'))).toMatchObject({
      links: ['a.md#b-c', '#d'],
      anchors: ['at-read-what-and-why'],
    });
  });

  test('a curl in other blocks or in a sentence is a stray', () => {
    const text = [fenced('text', 'curl -sS http://x'), 'Run `curl http://y` or use curl.'];
    expect(readPage(text.join('\n')).strays).toEqual([2, 4]);
  });
});

describe('what is shown', () => {
  const isMet = (shown: string, output: string, language = 'json') => {
    const { actual, expected } = comparison({ line: 1, language, text: shown }, output);
    try {
      expect(actual).toEqual(expected);
      return true;
    } catch {
      return false;
    }
  };
  const ID = '0b0e8e24-5f0e-4f7c-9f9e-0b8c58e2d7a1';
  const OTHER = 'a4e2b1d0-1111-4222-8333-444455556666';

  test.each([
    ['the same value written otherwise', '{"a": [1, "x"]}', '{"a":[1,"x"]}\n', true],
    ['another value', '{"a":1}', '{"a":2}', false],
    ['a member more', '{"a":1}', '{"a":1,"b":2}', false],
    ['a member less', '{"a":1,"b":2}', '{"a":1}', false],
    ['another digit beyond a double', '[9007199254740993]', '[9007199254740992]', false],
    ['any UUID', `{"a":"with ${ID}"}`, `{"a":"with ${OTHER}"}`, true],
    ['no UUID', `["${ID}"]`, '["none"]', false],
    ['any timestamp', '["2026-01-31T09:30:00.000Z"]', '["2027-11-21T14:32:31.209108Z"]', true],
    ['any rest', '["eyJ…"]', '["eyJhbGci"]', true],
    ['another beginning', '["eyJ…"]', '["abc"]', false],
    ['any milliseconds', '{"latency_ms":3}', '{"latency_ms":17}', true],
    ['another text for milliseconds', '{"latency_ms":3}', '{"latency_ms":"3"}', false],
    ['what is not JSON', '{}', 'curl: (7) failed', false],
    ['dots that are not meant as a pattern', '["a.c"]', '["abc"]', false],
  ])('%s: %s and %s', (_what, shown, output, met) => {
    expect(isMet(shown, output)).toBe(met);
  });

  test.each([
    ['HTTP/1.1 200 OK\nX-Request-Id: …', 'HTTP/1.1 200 OK\r\nX-Request-Id: 17\r\n\r\n', true],
    ['HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found\r\n', false],
    ['a', 'a\nb', false],
  ])('as text %j and %j', (shown, output, met) => {
    expect(isMet(shown, output, 'http')).toBe(met);
  });
});

describe('scripts run in turn', () => {
  test('share their variables, and each has its own output', async () => {
    const written = await runInTurn(['A=1; echo one', 'echo two $A', 'echo no >&2']);
    expect(written).toEqual([
      { stdout: 'one\n', stderr: '' },
      { stdout: 'two 1\n', stderr: '' },
      { stdout: '', stderr: 'no\n' },
    ]);
  });

  test('have no output once the shell has ended', async () => {
    expect(await runInTurn(['echo one', 'exit 3', 'echo two'])).toEqual([
      { stdout: 'one\n', stderr: '' },
      undefined,
      undefined,
    ]);
  });
});

test('the longer of two placeholders is filled in first', () => {
  expect(fillIn('host:5432/database host', { host: 'x', 'host:5432/database': 'y' })).toBe('y x');
});
