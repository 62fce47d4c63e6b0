/** Holds replies to the API's description: what it does not have may not be answered. */
import { type Description, nodeOf, type Operation, step } from './description.ts';

/** What was asked. */
interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** What came back, without its body. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
}

/** How the body of a reply is checked. */
export interface BodyCheck {
  /** What ends a piece of a reply that comes in pieces, each of which is checked by itself. */
  readonly separator: string | undefined;
  /** @throws Undescribed when the description has no such body, or piece */
  accept(text: string): void;
}

/** Replies in pieces, by their media type. */
const SEPARATORS: Readonly<Record<string, string>> = {
  'application/x-ndjson': '\n',
  'text/event-stream': '\n\n',
};

/** Of HTTP itself and of proxies, not of the API; the media type is checked with the content. */
const OF_HTTP = [
  'date',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
];

/** What a page's question whether it may call is answered, on any path. */
const PREFLIGHT = '/components/responses/PREFLIGHT';

/** Files of the page at /docs, which are not of the API. */
const NOT_DESCRIBED = /^\/docs\/./;

/** A reply that the description does not have. */
export class Undescribed extends Error {
  override readonly name = 'Undescribed';

  constructor({ method, path }: Asked, status: number, fault: string) {
    super(`${method} ${path} answered ${status}, and the description says otherwise: ${fault}`);
  }
}

/**
 * Checks status and headers of a reply, and answers how to check its body.
 * @throws Undescribed
 */
export function check(
  description: Description,
  asked: Asked,
  answered: Answered,
): BodyCheck | undefined {
  if (NOT_DESCRIBED.test(asked.path)) return undefined;
  const fail = (fault: string): never => {
    throw new Undescribed(asked, answered.status, fault);
  };
  const response = responseFor(description, asked, answered, fail);
  checkHeaders(description, response, answered.headers, fail);
  return bodyCheck(description, response, { asked, answered, fail });
}

type Fail = (fault: string) => never;

/** The response of the operation, or of what is no operation. */
function responseFor(
  description: Description,
  { method, path }: Asked,
  { status }: Answered,
  fail: Fail,
): Operation {
  if (method === 'OPTIONS' && status === 204) return description.resolve(PREFLIGHT);
  const item = description.itemFor(path);
  if (item === undefined) return soleResponse(description, 'NOT_FOUND', 404, status, fail);
  const operation = item.operations.get(method === 'HEAD' ? 'GET' : method);
  if (!operation) {
    return soleResponse(description, 'METHOD_NOT_ALLOWED', 405, status, fail);
  }
  if (!(String(status) in nodeOf(operation.node.responses))) {
    const known = Object.keys(nodeOf(operation.node.responses)).join(', ');
    return fail(`it has ${known}`);
  }
  return description.resolve(`${operation.at}/responses/${status}`);
}

/** What every path that there is not answers, and every method that a path does not have. */
function soleResponse(
  description: Description,
  name: string,
  expected: number,
  status: number,
  fail: Fail,
): Operation {
  if (status !== expected) fail(`there is no such operation, which is ${expected}`);
  return description.resolve(`/components/responses/${name}`);
}

function checkHeaders(
  description: Description,
  response: Operation,
  headers: Headers,
  fail: Fail,
): void {
  const described = new Map(
    Object.keys(nodeOf(response.node.headers)).map((name) => [name.toLowerCase(), name]),
  );
  for (const [name, value] of headers) {
    if (OF_HTTP.includes(name)) continue;
    const known =
      described.get(name) ?? sharing(description, name) ?? fail(`it has no header ${name}`);
    const own = described.has(name) ? response.at : '/components';
    const header = description.resolve(`${own}/headers${step(known)}`);
    const isNumber = nodeOf(header.node.schema).type === 'integer';
    const fault = description.faultOf(`${header.at}/schema`, isNumber ? Number(value) : value);
    if (fault !== undefined) fail(`header ${known} is ${value}: ${fault}`);
  }
  for (const [lower, name] of described) {
    const { node } = description.resolve(`${response.at}/headers${step(name)}`);
    if (node.required === true && !headers.has(lower)) fail(`header ${name} is missing`);
  }
}

/** Headers that any reply to a page of another origin has: described once. */
function sharing({ document }: Description, lower: string): string | undefined {
  if (lower !== 'vary' && !lower.startsWith('access-control-')) return undefined;
  const names = Object.keys(nodeOf(nodeOf(document.components).headers));
  return names.find((name) => name.toLowerCase() === lower);
}

interface Reply {
  readonly asked: Asked;
  readonly answered: Answered;
  readonly fail: Fail;
}

function bodyCheck(
  description: Description,
  response: Operation,
  { asked, answered, fail }: Reply,
): BodyCheck {
  const { content } = response.node;
  const type = answered.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (content === undefined || asked.method === 'HEAD') {
    if (content === undefined && type !== undefined) fail(`it has no content, not even ${type}`);
    return { separator: undefined, accept: (text) => void (text === '' || fail('it has no body')) };
  }
  if (type === undefined || !(type in nodeOf(content))) {
    fail(
      `its content is ${Object.keys(nodeOf(content)).join(' or ')}, not ${type ?? 'of no type'}`,
    );
  }
  const at = `${response.at}/content${step(type ?? '')}/schema`;
  return {
    separator: SEPARATORS[type ?? ''],
    accept(text) {
      const json = jsonOf(text, type ?? '');
      if (json === undefined) return;
      const fault = description.faultOf(at, TEXTS.has(type) ? text : parsed(json, fail));
      if (fault !== undefined) fail(fault);
    },
  };
}

/** Bodies that are texts, and not JSON. */
const TEXTS = new Set<string | undefined>(['text/html', 'text/csv']);

/** The JSON of a piece; undefined of an event without data, such as a comment that keeps a line open. */
function jsonOf(text: string, type: string): string | undefined {
  if (type !== 'text/event-stream') return text;
  const data = text.split('\n').filter((line) => line.startsWith('data:'));
  return data.length === 0 ? undefined : data.map((line) => line.slice(5)).join('\n');
}

function parsed(text: string, fail: Fail): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail(`its body is not JSON: ${text.slice(0, 100)}`);
  }
}
