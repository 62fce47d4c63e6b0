/** Replies that no honest relay gives: every field of every reply of every method, streams, and every error. */
import { create, type DescMethod, toBinary } from '@bufbuild/protobuf';
import { ERRORS } from '../../../proto/errors.ts';
import * as messages from '../../../proto/gen/relay/v1/relay_pb.ts';
import { Choices } from '../random.ts';
import { HEADERS, MARK, messageBytes } from './fields.ts';
import type { RawReply } from './node.ts';

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
/** Characters of the longest message of an error. */
const LONG = 100_000;

/** What the node answers in a case, and its name. */
interface Lie {
  readonly name: string;
  /** Results come in pieces by a second call: whoever asked has begun to read before the node has said all. */
  readonly collects: boolean;
  answer(method: string): RawReply | undefined;
}

/** A lie by these choices: fields, an error, or bytes. */
export function lieOf(choices: Choices): Lie {
  const how = choices.next();
  if (how < 0.3) return errorOf(choices);
  if (how < 0.9) return fieldsOf(choices);
  const body = new TextEncoder().encode(
    choices.pick(['\u00ff\u00ff', '', MARK, '<html>', '{"code":5}']),
  );
  const status = choices.pick([200, 204, 302, 400, 404, 500, 503]);
  const type = choices.pick(['application/proto', 'application/json', 'text/html']);
  const reply = { status, type, body: status === 204 ? new Uint8Array() : body };
  return { name: `${status} ${type}`, collects: false, answer: () => reply };
}

/** Whatever the service has. It joins transactions, or it would be asked for little. */
function fieldsOf(choices: Choices): Lie {
  const made = new Map<string, RawReply>();
  const isHonest = choices.chance(0.5);
  const collects = choices.chance(0.2);
  const seeds = new Map(
    messages.RelayService.methods.map((method) => [method.name, choices.next()]),
  );
  return {
    name: 'fields',
    collects,
    answer(name) {
      const method = messages.RelayService.methods.find((each) => each.name === name);
      if (method === undefined) return undefined;
      if (name === 'Lacks' && isHonest) return JOINS;
      const own = new Choices(Math.floor((seeds.get(name) ?? 0) * 2 ** 31));
      const reply = made.get(name) ?? replyOf(own, method, collects);
      made.set(name, reply);
      return reply;
    },
  };
}

const JOINS: RawReply = {
  status: 200,
  type: 'application/proto',
  body: toBinary(
    messages.LacksResponseSchema,
    create(messages.LacksResponseSchema, { joins: true }),
  ),
};

function replyOf(
  choices: Choices,
  { methodKind, output }: DescMethod,
  collects: boolean,
): RawReply {
  if (methodKind === 'unary') {
    return {
      status: 200,
      type: 'application/proto',
      body: messageBytes(choices, output, collects ? '' : 'collectId'),
    };
  }
  const frames = Array.from({ length: choices.pick([0, 1, 3]) }, () =>
    frame(choices.chance(0.95) ? 0 : choices.pick([1, 4, 255]), messageBytes(choices, output)),
  );
  const last = choices.pick<() => Buffer>([
    () => frame(2, Buffer.from('{}')),
    () => frame(2, errorBody(choices)),
    () => frame(2, Buffer.from(`{"error":${'['.repeat(LONG)}`)),
    () => Buffer.from([0, 255, 255, 255, 255]),
    () => Buffer.from([2, 0, 0]),
    () => Buffer.alloc(0),
  ])();
  const body = Buffer.concat([...frames, last]);
  return { status: 200, type: 'application/connect+proto', body };
}

/** Of a stream. Source: Connect protocol, "Streaming". */
function frame(flags: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** As the last frame of a stream has it. */
function errorBody(choices: Choices): Buffer {
  const { body } = errorReply(choices);
  return Buffer.from(`{"error":${Buffer.from(body).toString()}}`);
}

function errorOf(choices: Choices): Lie {
  const { name, body, headers } = errorReply(choices);
  const reply = { status: 400, type: 'application/json', headers, body };
  return { name, collects: false, answer: () => reply };
}

function errorReply(choices: Choices) {
  const [code, name] = [choices.pickAny(CODES), choices.pickAny(NAMES) ?? ''];
  const details = choices.pickAny(DETAILS) ?? '';
  const schema = messages.ErrorDetailSchema;
  const value = Buffer.from(toBinary(schema, create(schema, { code: name, details })));
  const message = choices.chance(0.2) ? MARK.repeat(LONG) : `${MARK} at 10.1.2.3:5432`;
  const detail = { type: 'relay.v1.ErrorDetail', value: value.toString('base64') };
  const body = Buffer.from(JSON.stringify({ code, message, details: [detail] }));
  const headers = {
    'Retry-After': choices.pickAny(HEADERS) ?? '',
    'Backend-Us': choices.pickAny(HEADERS) ?? '',
  };
  return { name: `${code} ${name} ${details.slice(0, 20)}`, body, headers };
}
