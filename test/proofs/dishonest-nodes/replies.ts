/** Replies that no honest relay gives: every field of every reply, and every error. */
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { ERRORS } from '../../../proto/errors.ts';
import * as messages from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { Choices } from '../random.ts';
import type { RawReply } from './node.ts';

/** Is in every text that the node makes up: where it is told, the node has spoken. */
export const MARK = 'SECRET-of-the-node';

const CODES = [
  ...['canceled', 'unknown', 'invalid_argument', 'deadline_exceeded', 'not_found', 'aborted'],
  ...['already_exists', 'permission_denied', 'resource_exhausted', 'failed_precondition'],
  ...['out_of_range', 'unimplemented', 'internal', 'unavailable', 'data_loss', 'unauthenticated'],
  'weird',
];
const NAMES = [...Object.keys(ERRORS), 'CONNECTION_UNKNOWN', 'SERVED_ELSEWHERE', '__proto__', ''];
const DETAILS = [
  ...['', '[null]', '[1,"a",[]]', '{"a":1}', '[[[', '[{"__proto__":{"x":1}}]', '[{"rule":1}]'],
  '[{"operation":-1,"result":{}}]',
  `[${'{"path":"a","message":"b"},'.repeat(5_000)}{}]`,
  `[{"rule":"x","m":${'['.repeat(20_000)}${']'.repeat(20_000)}}]`,
];
const HEADERS = ['NaN', '1e300', '-1', '-5', '1e999', '9'.repeat(400), '0.5', 'soon'];
const HUGE = 1_000_000;

/** Texts of JSON that are none, or of another shape. */
function textOf(choices: Choices): string {
  return choices.pick<() => string>([
    () => '',
    () => `}}${MARK}`,
    () => 'null',
    () => `{"${MARK}":[`,
    () => '[[[]]]',
    () => `[${'0,'.repeat(100_000)}0]`,
    () => `${'['.repeat(HUGE)}${']'.repeat(HUGE)}`,
    () => '{"rows":1e999}',
    () => '{"__proto__":{"x":1},"rows":[]}',
    () => `"${MARK}`,
    () => `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join()}`,
  ])();
}

const NAMED = [
  'x\nevent: error\ndata: {}\n\n',
  '',
  MARK.repeat(HUGE / 20),
  '\u202e\u0000',
  '<script>',
];
const COUNTS = [0n, 2n ** 63n, 2n ** 64n - 1n, 8_640_000_000_000_001n];

/** A value of a field, by what it holds. */
function heldBy(choices: Choices, kind: string): unknown {
  if (kind === 'bytes') return new TextEncoder().encode(textOf(choices));
  if (kind === 'string') return choices.pickAny(NAMED);
  if (kind === 'bigint') return choices.pickAny(COUNTS);
  return choices.chance(0.5);
}

/** Replies by method, with what their fields hold. */
const REPLIES: readonly (readonly [string, DescMessage, Readonly<Record<string, string>>])[] = [
  [
    'Run',
    messages.RunResponseSchema,
    { result: 'bytes', backendUs: 'bigint', collectId: 'string' },
  ],
  ['Transact', messages.RunResponseSchema, { result: 'bytes', backendUs: 'bigint' }],
  [
    'Inspect',
    messages.InspectResponseSchema,
    { tables: 'bytes', more: 'boolean', backendUs: 'bigint' },
  ],
  ['OpenSession', messages.OpenSessionResponseSchema, { sessionId: 'string', expiresMs: 'bigint' }],
  ['Ping', messages.PingResponseSchema, { latencyUs: 'bigint' }],
];
const PERFORMED = {
  results: 'bytes',
  backendUs: 'bigint',
  recovery: 'string',
  onlyRead: 'boolean',
};
const SHARES: readonly (readonly [string, DescMessage, Readonly<Record<string, string>>])[] = [
  ['Begin', messages.BeginResponseSchema, { sessionId: 'string', expiresMs: 'bigint' }],
  ['Continue', messages.ContinueResponseSchema, {}],
  ['Prepare', messages.PrepareResponseSchema, { prepared: 'boolean', recovery: 'string' }],
];

/** What the node answers in a case, and its name. */
interface Lie {
  readonly name: string;
  answer(method: string): RawReply | undefined;
}

/** A lie by these choices: fields, an error, or bytes. */
export function lieOf(choices: Choices): Lie {
  const how = choices.next();
  if (how < 0.4) return errorOf(choices);
  if (how < 0.9) return fieldsOf(choices);
  const body = new TextEncoder().encode(
    choices.pick(['\u00ff\u00ff', '', MARK, '<html>', '{"code":5}']),
  );
  const status = choices.pick([200, 204, 302, 400, 404, 500, 503]);
  const type = choices.pick(['application/proto', 'application/json', 'text/html']);
  const reply = { status, type, body: status === 204 ? new Uint8Array() : body };
  return { name: `${status} ${type}`, answer: () => reply };
}

function fieldsOf(choices: Choices): Lie {
  const made = new Map<string, RawReply>();
  const drawn = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, kind]) =>
        choices.chance(0.8) ? [[name, heldBy(choices, kind)] as const] : [],
      ),
    );
  for (const [method, schema, fields] of REPLIES) made.set(method, ok(schema, drawn(fields)));
  for (const [method, schema, fields] of SHARES) {
    made.set(method, ok(schema, { ...drawn(fields), performed: drawn(PERFORMED) }));
  }
  made.set('Lacks', ok(messages.LacksResponseSchema, { joins: true }));
  return { name: 'fields', answer: (method) => made.get(method) };
}

function ok(schema: DescMessage, fields: Record<string, unknown>): RawReply {
  return { status: 200, type: 'application/proto', body: toBinary(schema, create(schema, fields)) };
}

function errorOf(choices: Choices): Lie {
  const [code, name] = [choices.pickAny(CODES), choices.pickAny(NAMES) ?? ''];
  const details = choices.pickAny(DETAILS) ?? '';
  const schema = messages.ErrorDetailSchema;
  const value = Buffer.from(toBinary(schema, create(schema, { code: name, details })));
  const message = choices.chance(0.2) ? MARK.repeat(HUGE / 10) : `${MARK} at 10.1.2.3:5432`;
  const detail = { type: 'relay.v1.ErrorDetail', value: value.toString('base64') };
  const body = Buffer.from(JSON.stringify({ code, message, details: [detail] }));
  const headers = {
    'Retry-After': choices.pickAny(HEADERS) ?? '',
    'Backend-Us': choices.pickAny(HEADERS) ?? '',
  };
  const reply = { status: 400, type: 'application/json', headers, body };
  return { name: `${code} ${name} ${details.slice(0, 20)}`, answer: () => reply };
}
