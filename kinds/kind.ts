/** What both programs know of one kind of backend. */

import type { ZodType } from 'zod';
import type { Mode } from '../proto/driver.ts';
import type { JsonObject } from '../proto/json.ts';
import type { Passes } from '../proto/passed.ts';
import type { OncePlaceName } from './once.ts';

/** Members that every request to a backend may carry. */
export interface RequestBase {
  readonly type: string;
  /** Milliseconds the backend may take. Contract: "Deadline". */
  readonly timeout_ms?: number | undefined;
}

/** What clients send and get, in all forms: for the API's description alone (describe.ts). */
export interface KindShapes {
  /** Member `config` of a PATCH: what is left out stays, null removes. */
  readonly configPatch: ZodType;
  /** A request, in every form that `parseRequest` takes. */
  readonly body: ZodType;
  /** Forms of what a request answers; kinds that answer in the same form share its schema. */
  readonly results: readonly ZodType[];
  /** One line of a result that comes as lines, where the kind streams. Contract §6, "Large results". */
  readonly line?: ZodType;
  /** One operation of a transaction, of kinds with `hasTransactions`. */
  readonly operation?: ZodType;
  /** Forms of what an operation of a transaction answers. */
  readonly outcomes?: readonly ZodType[];
}

/** One kind: its names, what its configuration and requests hold, which types write. */
export interface KindSpec<Request extends RequestBase = RequestBase, Config = unknown> {
  /** As replies write it, for example `Postgres`. */
  readonly label: string;
  /** Other spellings that input may use, in lower case. */
  readonly aliases: readonly string[];
  /** Member `config` of an endpoint. */
  readonly config: ZodType<Config>;
  /** A request, `type` in lower case and without `kind`. */
  readonly request: ZodType<Request>;
  /** Whether several requests can be sent as one transaction. Contract §6, "Transactions". */
  readonly hasTransactions: boolean;
  /** What `config.once` calls the place of marks, where the kind can keep them. Spec: transactions.md §7 */
  readonly oncePlace?: OncePlaceName;
  /** Whether rows have columns, which CSV and a first line of columns need. Contract §6, "Large results". */
  readonly hasColumns?: boolean;
  /** Request types and the mode of each: `read` types are taken on `/read`, where their content may still decide. */
  readonly types: { readonly [type: string]: Mode };
  /** Whether `request` alone decides which types there are: those beside `types` may be taken, too. */
  readonly takesAnyType?: boolean;
  /** Whether a request writes, where its type alone does not say. */
  modeOf?(request: Request): Mode;
  /** What makes a request write, where neither its type nor its method says. */
  whyItWrites?(request: Request): { readonly path: string; readonly message: string } | undefined;
  /** Those of `types` that answer events for as long as the caller stays. Contract §6, "Subscriptions". */
  readonly watches?: readonly string[];
  /** Those of `watches` that a session takes, too: what they answer then comes with the session's results. */
  readonly watchesInSessions?: readonly string[];
  /** Types that are known and cannot be called: NOT_SUPPORTED. */
  readonly notCallable: readonly string[];
  /** Whether the relay gets a request as its client wrote it: the order of members and `1.0` mean something. */
  readonly keepsText?: boolean;
  /** Members, of `keepsText` none, that reach the backend as they were written: the text of a number, the order of members. */
  readonly passes?: Passes;
  /** Members that reach the backend as JSON text, each as a whole or in its elements or members: those of a large request are written in pieces as soon as it is read. */
  readonly writes?: { readonly [member: string]: 'whole' | 'each' };
  /** Whether a parsed request keeps all that its text reports: relays get it parsed, and do not have to read members again. */
  readonly travelsParsed?: boolean;
  /** Whether `{"$result": "[0]…"}` is no value of an operation: the kind has no results before a transaction ends, and its commands could not tell the object from its text. Contract §6, "Transactions". */
  readonly refusesResults?: boolean;
  /** Whether `config.allow` limits what requests may name. keys-and-doors.md §4. */
  readonly limitsNames?: boolean;
  /** The level a request needs besides that of its operation, for what it can be seen to do to the whole server. Contract §6, "Admin". */
  needs?(request: Request): 'Admin' | undefined;
  /** Whether a `type` may be left out, and what it then is. */
  readonly defaultType?: string;
  /** What a `type` that was left out is by the other members; undefined when it must be there. */
  impliedType?(members: JsonObject): string | undefined;
}
