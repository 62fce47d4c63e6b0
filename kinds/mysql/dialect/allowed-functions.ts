/** Finds what a statement calls beyond the server's own functions, unless the configuration allows it. Contract §6. */
import type { Json } from '../../../proto/json.ts';
import { type Call, callsOf, isForeign } from './calls.ts';
import type { Catalog, UserFunction } from './catalog.ts';
import { isEverywhere, isUsual } from './functions.ts';
import type { Token } from './lexer.ts';

/** Functions that the endpoint's configuration lets callers use: all users' own, or those listed. */
export type AllowedFunctions = true | ReadonlySet<string>;

/** `config.allow_functions`; listed names may carry their database. Letter case does not matter, as for the servers. */
export function allowedFunctions(setting: Json | undefined): AllowedFunctions {
  if (setting === true) return true;
  const names = Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : [];
  return new Set(names.map((name) => name.toLowerCase()));
}

const NONE: ReadonlySet<string> = new Set();

/** A call that is not let through. */
export interface Suspect {
  /** As it is shown, with its database where that is known. */
  readonly name: string;
  /** Else a plugin's, a package's, one that may not be seen, or none at all. */
  readonly isUsers: boolean;
}

/**
 * The first call that is neither the server's own nor allowed.
 * @param harmless further names of the server's own, in upper case, where no user has a function of that name
 */
export async function suspectIn(
  tokens: readonly Token[],
  catalog: Catalog,
  allowed: AllowedFunctions,
  harmless: ReadonlySet<string> = NONE,
): Promise<Suspect | undefined> {
  if (allowed === true) return undefined;
  const calls = callsOf(tokens).filter((call) => !isServers(call) && !allowsPath(call, allowed));
  const found = await catalog.functions([...new Set(calls.map(({ name }) => name))]);
  const own = found.find((each) => !allows(each, allowed));
  if (own) {
    const { schema, name } = own;
    return { name: schema === '' ? name : `${schema}.${name}`, isUsers: true };
  }
  const unknown = calls.find(
    (call) => !mayBeServers(call, harmless) && !found.some((each) => isMeant(call, each)),
  );
  return unknown && { name: unknown.path.join('.'), isUsers: false };
}

/** Listed names may leave the database out; of a package's function not the package. */
function allowsPath({ path }: Call, allowed: ReadonlySet<string>): boolean {
  const beginnings = path.length > 1 ? [0, 1] : [0];
  return beginnings.some((at) => allowed.has(path.slice(at).join('.').toLowerCase()));
}

function allows({ schema, name }: UserFunction, allowed: ReadonlySet<string>): boolean {
  return allowed.has(name.toLowerCase()) || allowed.has(`${schema}.${name}`.toLowerCase());
}

/** Whether a call is one of the server's own for sure. */
function isServers(call: Call): boolean {
  return call.bare && isEverywhere(call.name.toUpperCase());
}

/** Whether it is, when no user has a function of that name. */
function mayBeServers(call: Call, harmless: ReadonlySet<string>): boolean {
  const name = call.name.toUpperCase();
  return !isForeign(call) && (call.alias || isUsual(name) || harmless.has(name));
}

/** Whether a function that was found is the one that is called. */
function isMeant({ path }: Call, { schema, name }: UserFunction): boolean {
  const [last, first] = path.toReversed();
  const isSame = last?.toLowerCase() === name.toLowerCase() && path.length <= 2;
  return isSame && (first === undefined || first.toLowerCase() === schema.toLowerCase());
}
