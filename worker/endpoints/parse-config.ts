/** Checks a configuration against its kind. */
import type { ZodError } from 'zod';
import { type Kind, kindNamed, kindSpec, SPECIFIED_KINDS } from '../../kinds/index.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { hintFor, meantName } from '../../proto/near-name.ts';
import { IN_OUR_WORDS } from '../../proto/schema-faults.ts';
import { truncated } from '../../proto/truncate.ts';
import type { EndpointConfig } from './config.ts';
import { keepsNone } from './once.ts';
import { refuseRedacted } from './redact.ts';

/** Largest configuration, in characters of its JSON: it is one cell of a row. Spec silent. */
const CONFIG_MAX = 256 * 1024;

/**
 * The kind that a body names.
 * @throws GatewayError BAD_REQUEST when there is none of that name
 */
export function parseKind(named: string): Kind {
  const kind = kindNamed(named);
  if (kind !== undefined) return kind;
  const message = `${JSON.stringify(truncated(named, 100))} is not known; ${hintFor(named, SPECIFIED_KINDS)}`;
  throw badRequest('kind', message);
}

/**
 * A configuration that its kind accepts, as it was given.
 * @throws GatewayError INVALID_CONFIGURATION when it lacks something, BAD_REQUEST for unknown or redacted members, PAYLOAD_TOO_LARGE, NOT_SUPPORTED
 */
export function parseConfig(kind: Kind, config: EndpointConfig): EndpointConfig {
  refuseRedacted(config);
  const { once, ...others } = config;
  const { config: shape, oncePlace, limitsNames, label } = kindSpec(kind);
  if (config.allow !== undefined && !limitsNames) throw allowsNothing(label);
  const isKept = once === undefined || oncePlace !== undefined;
  const parsed = shape.safeParse(isKept ? config : others, IN_OUR_WORDS);
  if (!parsed.success) throw invalidConfig(parsed.error, config);
  if (JSON.stringify(config).length > CONFIG_MAX) {
    throw new GatewayError(
      'PAYLOAD_TOO_LARGE',
      `The configuration is larger than ${CONFIG_MAX} characters`,
    );
  }
  if (!isKept) throw keepsNone(kind);
  return config;
}

function allowsNothing(label: string): GatewayError {
  const problem = `is not known to endpoints of kind ${label}, whose requests it cannot limit: leave it out, and give the connection a credential with fewer rights`;
  return badRequest('config.allow', problem);
}

/** A fault of a configuration; `lacking` when something is not there at all. */
interface ConfigFault {
  readonly path: string;
  readonly message: string;
  readonly lacking: boolean;
}

type Issue = ZodError['issues'][number];

function invalidConfig(error: ZodError, config: EndpointConfig): GatewayError {
  const faults = error.issues.flatMap((issue) => faultsOf(issue, config, ['config']));
  const details = faults.map(({ path, message }) => ({ path, message }));
  const other = faults.find(({ lacking }) => !lacking);
  if (other) {
    return new GatewayError('BAD_REQUEST', `${other.path}: ${other.message}`, { details });
  }
  const message = faults[0]?.message ?? 'The configuration lacks what it needs';
  return new GatewayError('INVALID_CONFIGURATION', message, { details });
}

/** Of the forms that a member may have, the one that its members show is meant. */
function faultsOf(issue: Issue, parent: Json | undefined, at: readonly string[]): ConfigFault[] {
  const value = memberAt(parent, issue.path);
  const path = [...at, ...issue.path.map(String)];
  if (issue.code === 'invalid_union' && isJsonObject(value)) {
    const meant = issue.errors.filter((form) => !form.some((each) => isAbsent(each, value)));
    const [only] = meant;
    if (only && meant.length === 1) return only.flatMap((each) => faultsOf(each, value, path));
  }
  const emptyUrl = issue.code === 'too_small' && path.at(-1) === 'url';
  return [
    {
      path: path.join('.'),
      message: emptyUrl ? 'Connection URL is required' : wordsOf(issue, value),
      lacking:
        emptyUrl || value === undefined || (issue.code === 'invalid_union' && isEmpty(value)),
    },
  ];
}

function wordsOf(issue: Issue, value: Json | undefined): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const hasBoth = isJsonObject(value) && ADDRESS.every((name) => value[name] !== undefined);
  return hasBoth
    ? '"url" and "host" exclude each other: give one of them'
    : issue.message + hintIn(issue, value);
}

/** What kind an invalid connection seems to be meant for. */
function hintIn({ code }: Issue, value: Json | undefined): string {
  if (code !== 'invalid_union') return '';
  if (typeof value === 'string') return ': send an object, {"url": …}';
  if (!isJsonObject(value) || !isEmpty(value)) return '';
  const [wrong] = Object.keys(value).filter((name) => meantName(name, ADDRESS) !== undefined);
  return wrong === undefined
    ? ''
    : `: ${JSON.stringify(wrong)} is not known; ${hintFor(wrong, ADDRESS)}`;
}
const ADDRESS = ['url', 'host'];

/** Whether the form needs a member that is not there. */
function isAbsent(issue: Issue, value: Json): boolean {
  return issue.path.length === 1 && memberAt(value, issue.path) === undefined;
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && value.url === undefined && value.host === undefined;
}

function memberAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  return path.reduce<Json | undefined>((within, member) => {
    if (Array.isArray(within)) return within[Number(member)];
    return isJsonObject(within) && Object.hasOwn(within, member)
      ? within[String(member)]
      : undefined;
  }, value);
}
