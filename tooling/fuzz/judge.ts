/** Which replies may not be, other than those that the generator itself finds. */
import { call } from './calls.ts';
import { type Exchange, jsonOf, pathOf } from './exchange.ts';

/** Something wrong. */
export interface Finding {
  readonly operation: string;
  readonly what: string;
  readonly exchange: Exchange;
}

/** What is known when a reply is judged. */
export interface Knowledge {
  readonly gateway: string;
  /** Asks for the state of an endpoint. */
  readonly token: string;
  /** Of the only backend that can be reached. */
  readonly database: string;
  /** What is in no request: Victim.marks. */
  readonly marks: readonly string[];
}

/** No reply may take longer: the default deadline of a request and what it takes to end one. */
const HANG_MS = 35_000;
/** An effect of ending a request counts with it. */
const GRACE_MS = 50;

/** What is wrong with a reply; nothing in most. */
export async function faultsOf(exchange: Exchange, known: Knowledge): Promise<string[]> {
  const { answered, ms } = exchange;
  if (answered === undefined) return [`no whole reply within ${seconds(ms)}`];
  const faults = [];
  if (ms > HANG_MS) faults.push(`the reply took ${seconds(ms)}`);
  if (toldOf(exchange, known.marks)) faults.push('the reply tells of another organization');
  const { status } = answered;
  if (status >= 500 && status !== 501 && !(await mayFail(exchange, known))) {
    faults.push(`${status} ${codeOf(exchange)}`);
  }
  return faults;
}

const TOKEN = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

/** Lines of a log that hold one of the secrets, or a token. */
export function secretsIn(log: string, secrets: readonly string[]): string[] {
  const isTold = (line: string) =>
    TOKEN.test(line) || secrets.some((secret) => line.includes(secret));
  return log.split('\n').filter(isTold);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Looks at bytes and at what they stand for in JSON. */
function toldOf({ answered }: Exchange, marks: readonly string[]): boolean {
  if (answered === undefined) return false;
  const text = `${answered.headers.join('\n')}\n${answered.body.toString()}`.toLowerCase();
  return marks.some((mark) => text.includes(mark.toLowerCase()));
}

/** The code of an error; empty for anything else. */
export function codeOf({ answered }: Exchange): string {
  const body = answered && jsonOf(answered.body);
  const code = typeof body === 'object' && body !== null ? Reflect.get(body, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

/** 502 to 504 where the request names a backend that cannot be reached, or a time that is too short. */
async function mayFail(exchange: Exchange, known: Knowledge): Promise<boolean> {
  const { sent, ms } = exchange;
  const code = codeOf(exchange);
  const body = jsonOf(sent.body);
  if (code === 'TIMED_OUT' || code === 'OUTCOME_UNKNOWN') {
    if (timeoutsOf(body).some((timeout) => ms >= timeout - GRACE_MS)) return true;
  }
  if (code === 'CONNECTION_FAILED' || code === 'TIMED_OUT') {
    return connectionsOf(body).some((each) => each !== known.database);
  }
  const [, endpoint] = /^\/api\/v1\/endpoints\/([^/]+)/.exec(pathOf(sent)) ?? [];
  if (endpoint === undefined) return false;
  if (code === 'DEVELOPMENT_ROUTE_MISSING') return isDevelopment(endpoint, known);
  if (code === 'NODE_UNAVAILABLE') return isDrained(endpoint, known);
  return false;
}

/** Each `timeout_ms` of a body, of a transaction's operations too. */
function timeoutsOf(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'timeout_ms' && typeof each === 'number' ? [each] : timeoutsOf(each),
  );
}

/** What the connections of a body's configuration name. */
function connectionsOf(body: unknown): unknown[] {
  const config =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'config') : undefined;
  if (typeof config !== 'object' || config === null) return [];
  return Object.entries(config).flatMap(([name, connection]) => {
    if (!name.endsWith('_conn') || typeof connection !== 'object' || connection === null) return [];
    return [Object.keys(connection).join() === 'url' ? Reflect.get(connection, 'url') : connection];
  });
}

async function isDevelopment(endpoint: string, known: Knowledge): Promise<boolean> {
  const { body } = await ask(`/endpoints/${encodeURIComponent(endpoint)}`, known);
  return JSON.stringify(body).includes('"backend_profile":"development"');
}

async function isDrained(endpoint: string, known: Knowledge): Promise<boolean> {
  const { body } = await ask(`/endpoints/${encodeURIComponent(endpoint)}/nodes`, known);
  return /"(?:draining|unavailable|degraded)"/.test(JSON.stringify(body));
}

function ask(path: string, { gateway, token }: Knowledge) {
  return call(gateway, 'GET', path, { token });
}
