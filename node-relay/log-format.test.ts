/** Log lines as people read them. */
import { describe, expect, test } from 'vitest';
import { readable, readLogFormat } from './log-format.ts';

/** Shows where a colour begins and ends. */
const marked = (style: unknown, text: string) => `<${String(style)}>${text}</>`;
const plain = (_style: unknown, text: string) => text;
const time = new Date(2026, 0, 31, 9, 5, 7, 42).toISOString();

test('a request is one line: time, method, path, status, ms, endpoint, user', () => {
  const line = JSON.stringify({
    time,
    level: 'info',
    program: 'worker',
    message: 'request',
    request_id: 'r-1',
    method: 'POST',
    path: '/api/v1/endpoints/orders/read',
    status: 200,
    ms: 3,
    endpoint: 'orders',
    user: 'ada@acme.example',
    organization: 'acme',
  });
  expect(readable(line, plain)).toBe(
    '09:05:07.042 POST   /api/v1/endpoints/orders/read 200 3 ms orders ada@acme.example',
  );
});

test.each([
  [204, 'green'],
  [404, 'yellow'],
  [503, 'red'],
])('the status %i is %s', (status, colour) => {
  const fields = { method: 'GET', path: '/x', status, ms: 1 };
  const line = JSON.stringify({ time, level: 'info', message: 'request', ...fields });
  expect(readable(line, marked)).toBe(
    `<gray>09:05:07.042</> <bold>GET   </> /x <${colour}>${status}</> 1 ms`,
  );
});

test('any other line tells its level, program, message and members', () => {
  const line = JSON.stringify({
    time,
    level: 'warn',
    program: 'relay',
    message: 'call failed',
    code: 'TIMED_OUT',
    fault: { name: 'Error' },
  });
  expect(readable(line, marked)).toBe(
    '<gray>09:05:07.042</> <yellow>warn </> relay: call failed <gray>code=TIMED_OUT</> <gray>fault={"name":"Error"}</>',
  );
});

test('no control character reaches the terminal', () => {
  const hostile = '\u001b[2J\u009b31m\u202eadmin\n';
  const line = JSON.stringify({ time, level: 'info', message: hostile, [hostile]: hostile });
  const written = [readable(line, plain), readable(`plain ${hostile}`, plain)];
  expect(written.join('')).not.toMatch(/\p{C}/u);
});

describe('the setting', () => {
  test.each([
    [undefined, true, 'pretty'],
    ['', false, 'json'],
    ['auto', true, 'pretty'],
    ['auto', false, 'json'],
    ['json', true, 'json'],
    ['pretty', false, 'pretty'],
  ] as const)('%s, on a terminal %s, is %s', (text, isTerminal, format) => {
    expect(readLogFormat(text, isTerminal)).toBe(format);
  });

  test('of another value is refused', () => {
    expect(() => readLogFormat('yaml', true)).toThrow(
      'LOG_FORMAT (--log) must be json, pretty or auto, not yaml',
    );
  });
});
