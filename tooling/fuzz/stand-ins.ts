/**
 * Names that the generator uses for what is only known, or changes, during a run, such as the
 * token: what they stand for is put into each request on its way. Most are those of the
 * description's own examples, so that these are about something that is there.
 */

import { REQUEST_HEADERS } from '../../worker/openapi/headers.ts';
import { SAMPLE } from '../../worker/shapes/sample.ts';
import { type Attacker, PASSWORD } from './attacker.ts';
import { headerOf, type Sent } from './exchange.ts';

/** Plain ASCII, so that they are in URLs, headers and JSON alike. */
export const STAND_INS = {
  token: SAMPLE.token,
  self: SAMPLE.ada,
  colleague: SAMPLE.bruno,
  session: SAMPLE.session,
  node: SAMPLE.nodeUuid,
  organization: 'stand-in-organization',
  tag: 'stand-in-tag',
  reset: 'stand-in-reset',
} as const;

/** What does not belong to the attacker; undefined as long as there is none. */
export interface Latest {
  /** The gateway's own node. */
  readonly node: string;
  /** URL of the backend that can be reached. */
  readonly database: string;
  /** The last session that was opened. */
  session: string | undefined;
  /** The last ETag that was answered. */
  tag: string | undefined;
  /** The token of the last password reset. */
  reset: string | undefined;
}

const BASIC = basicOf(STAND_INS.self);
/** The backend of the examples. */
const SAMPLE_URL = /postgresql:\/\/shop:[\w-]+@db\.example\.com:5432\/shop(?:\?sslmode=require)?/g;

/** What a request is filled in with. */
interface Filling {
  readonly attacker: Attacker;
  readonly latest: Latest;
  /** Number of the request. */
  readonly turn: number;
  /** Whether it carries the token of the reader. */
  readonly asReader: boolean;
}

/** The request with everything in its place. */
export function fillIn(sent: Sent, { attacker, latest, turn, asReader }: Filling): Sent {
  const values: [string, string | undefined][] = [
    [BASIC, basicOf(attacker.self.name)],
    [STAND_INS.token, asReader ? attacker.readerToken : attacker.token],
    [STAND_INS.organization, attacker.organization],
    [STAND_INS.self, attacker.self.name],
    [STAND_INS.colleague, attacker.colleague.name],
    [SAMPLE.adaUuid, attacker.self.uuid],
    [SAMPLE.brunoUuid, attacker.colleague.uuid],
    [SAMPLE.endpointUuid, attacker.endpoints.shop.uuid],
    [STAND_INS.node, latest.node],
    [STAND_INS.session, latest.session],
    [STAND_INS.tag, latest.tag?.replaceAll('"', '')],
    [STAND_INS.reset, latest.reset],
    // Each example is a request of its own.
    [REQUEST_HEADERS['Idempotency-Key'].example, `${turn}`],
  ];
  const fill = (text: string) =>
    values.reduce((filled, [name, value]) => filled.replaceAll(name, value ?? name), text);
  const body = fill(sent.body.toString('latin1')).replace(SAMPLE_URL, latest.database);
  return {
    method: sent.method,
    target: fill(sent.target.replaceAll('%40example.com', '@example.com')),
    headers: sent.headers.map((each, index) =>
      index % 2 === 0 ? each : headerValue(each, fill, attacker),
    ),
    // Byte for byte: a body does not have to be text.
    body: Buffer.from(body, 'latin1'),
  };
}

function headerValue(value: string, fill: (text: string) => string, attacker: Attacker): string {
  if (value === SAMPLE.orgId) return attacker.organization;
  // Any revision, instead of one that nothing has.
  return value === REQUEST_HEADERS['If-Match'].example ? '*' : fill(value);
}

/** Whether a request waits for the token of a password reset. */
export function needsReset({ body }: Sent): boolean {
  return body.includes(STAND_INS.reset);
}

/** Whether a request is to run in a session. */
export function namesSession({ headers, target }: Sent): boolean {
  return headers.includes(STAND_INS.session) || target.includes(STAND_INS.session);
}

/** The request outside of any session. */
export function withoutSession(sent: Sent): Sent {
  const at = sent.headers.indexOf(STAND_INS.session);
  return at < 0 ? sent : { ...sent, headers: sent.headers.toSpliced(at - 1, 2) };
}

/** The request for rows as a stream, where it leaves open what it takes; streams ignore keys, whatever they are. */
export function asStream(sent: Sent): Sent {
  if (headerOf(sent.headers, 'idempotency-key') !== undefined) return sent;
  const headers = sent.headers.map((each) => (each === '*/*' ? 'application/x-ndjson' : each));
  return { ...sent, headers };
}

function basicOf(username: string): string {
  return Buffer.from(`${username}:${PASSWORD}`).toString('base64');
}
