import { describe, expect, test } from 'vitest';
import { writeReplies, writeReply } from './reply-form.ts';
import {
  ReplyDouble,
  ReplyError,
  ReplyMap,
  ReplySet,
  ReplyStatus,
  type ReplyValue,
} from './reply-value.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (written: Uint8Array) => new TextDecoder().decode(written);
const BINARY = new Uint8Array([0xff, 0x00, 0x0a]);

describe('one reply is written as clients of the protocol read it', () => {
  test.each<[string, ReplyValue, json: string, base64: string, resp2: string]>([
    ['nil', null, '{"result":null}', '{"result":null}', '$-1\r\n'],
    ['OK', new ReplyStatus('OK'), '{"result":"OK"}', '{"result":"OK"}', '+OK\r\n'],
    [
      'a status',
      new ReplyStatus('PONG'),
      '{"result":"PONG"}',
      '{"result":"UE9ORw=="}',
      '+PONG\r\n',
    ],
    ['a value OK', bytes('OK'), '{"result":"OK"}', '{"result":"T0s="}', '$2\r\nOK\r\n'],
    ['a value OK as text', 'OK', '{"result":"OK"}', '{"result":"T0s="}', '$2\r\nOK\r\n'],
    ['text', bytes('é"'), '{"result":"é\\""}', '{"result":"w6ki"}', '$3\r\né"\r\n'],
    ['an integer', 7, '{"result":7}', '{"result":7}', ':7\r\n'],
    [
      '64 bits',
      9223372036854775807n,
      '{"result":9223372036854775807}',
      '{"result":9223372036854775807}',
      ':9223372036854775807\r\n',
    ],
    ['a truth', true, '{"result":1}', '{"result":1}', ':1\r\n'],
    ['a double', new ReplyDouble(1.5), '{"result":"1.5"}', '{"result":"MS41"}', '$3\r\n1.5\r\n'],
    [
      'no end',
      new ReplyDouble(Number.NEGATIVE_INFINITY),
      '{"result":"-inf"}',
      '{"result":"LWluZg=="}',
      '$4\r\n-inf\r\n',
    ],
    [
      'a list',
      [bytes('a'), [1, null]],
      '{"result":["a",[1,null]]}',
      '{"result":["YQ==",[1,null]]}',
      '*2\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n',
    ],
    [
      'a map',
      new ReplyMap([bytes('f'), new ReplySet([1])]),
      '{"result":["f",[1]]}',
      '{"result":["Zg==",[1]]}',
      '*2\r\n$1\r\nf\r\n*1\r\n:1\r\n',
    ],
    [
      'an error',
      new ReplyError('WRONGTYPE Operation'),
      '{"error":"WRONGTYPE Operation"}',
      '{"error":"WRONGTYPE Operation"}',
      '-WRONGTYPE Operation\r\n',
    ],
  ])('%s', (_name, reply, json, base64, resp2) => {
    expect({
      json: text(writeReply(reply, 'json')),
      base64: text(writeReply(reply, 'base64')),
      resp2: text(writeReply(reply, 'resp2')),
    }).toEqual({ json, base64, resp2 });
  });
});

test('bytes that are no text pass in base64 and RESP2, and show as such in JSON', () => {
  expect(text(writeReply(BINARY, 'base64'))).toBe('{"result":"/wAK"}');
  expect(text(writeReply(BINARY, 'json'))).toBe('{"result":"\ufffd\\u0000\\n"}');
  expect(writeReply(BINARY, 'resp2')).toEqual(
    new Uint8Array([...bytes('$3\r\n'), ...BINARY, ...bytes('\r\n')]),
  );
});

test('replies of many commands keep their order, errors among them', () => {
  const replies = [new ReplyStatus('OK'), new ReplyError('ERR no'), 1];
  expect(text(writeReplies(replies, 'json'))).toBe(
    '[{"result":"OK"},{"error":"ERR no"},{"result":1}]',
  );
  expect(text(writeReplies(replies, 'resp2'))).toBe('+OK\r\n-ERR no\r\n:1\r\n');
});

test('a megabyte of bytes is written in base64', () => {
  const many = new Uint8Array(1_000_000).fill(1);
  expect(text(writeReply(many, 'base64'))).toBe(`{"result":"${btoa('\x01'.repeat(1_000_000))}"}`);
});

test('a list that outgrows what was set aside for it is written whole', () => {
  const items = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? `é${at}` : at));
  const lines = items.map((each) =>
    typeof each === 'string' ? `$${bytes(each).length}\r\n${each}\r\n` : `:${each}\r\n`,
  );
  expect(text(writeReply(items, 'resp2'))).toBe(`*5000\r\n${lines.join('')}`);
});

test.each([
  ['WRONGTYPE Operation against a key', 'WRONGTYPE'],
  ['NOAUTH', 'NOAUTH'],
  ['EXEC_ABORT: x', 'EXEC_ABORT'],
  ['Cursor not found, id: 7', 'ERR'],
  ['TopK: key does not exist', 'ERR'],
])('an error that says %s has the code %s', (message, code) => {
  expect(new ReplyError(message).code).toBe(code);
});
