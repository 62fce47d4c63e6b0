/**
 * Names that the generator uses for what changes during a run, such as the token: they are put in
 * its configuration once, and what they stand for is put into each request on its way.
 */
import { type Attacker, PASSWORD } from './attacker.ts';
import type { Sent } from './exchange.ts';

/** Plain ASCII, so that they stand in URLs, headers and JSON alike. */
export const STAND_INS = {
  token: 'stand-in-token',
  organization: 'stand-in-organization',
  self: 'stand-in-self',
  colleague: 'stand-in-colleague',
  session: 'stand-in-session',
  tag: 'stand-in-tag',
  reset: 'stand-in-reset',
} as const;

/** What the stand-ins that are no name of the attacker stand for; undefined as long as there is none. */
export interface Latest {
  /** The last session that was opened. */
  session: string | undefined;
  /** The last ETag that was answered. */
  tag: string | undefined;
  /** The token of the last password reset. */
  reset: string | undefined;
}

const BASIC = basicOf(STAND_INS.self);

/**
 * The request with everything in its place.
 * @param asReader carries the token of who may only read
 */
export function fillIn(sent: Sent, attacker: Attacker, latest: Latest, asReader: boolean): Sent {
  const values: [string, string | undefined][] = [
    [BASIC, basicOf(attacker.self)],
    [STAND_INS.token, asReader ? attacker.readerToken : attacker.token],
    [STAND_INS.organization, attacker.organization],
    [STAND_INS.self, attacker.self],
    [STAND_INS.colleague, attacker.colleague],
    [STAND_INS.session, latest.session],
    [STAND_INS.tag, latest.tag?.replaceAll('"', '')],
    [STAND_INS.reset, latest.reset],
  ];
  const fill = (text: string) =>
    values.reduce((filled, [name, value]) => filled.replaceAll(name, value ?? name), text);
  return {
    method: sent.method,
    target: fill(sent.target),
    headers: sent.headers.map((each, index) => (index % 2 === 0 ? each : fill(each))),
    // Byte for byte: a body need not be text.
    body: Buffer.from(fill(sent.body.toString('latin1')), 'latin1'),
  };
}

/** Whether a request waits for the token of a password reset. */
export function needsReset({ body }: Sent): boolean {
  return body.includes(STAND_INS.reset);
}

function basicOf(username: string): string {
  return Buffer.from(`${username}:${PASSWORD}`).toString('base64');
}
