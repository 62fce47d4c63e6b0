/** What an audit entry contains, and what it never can: a value that a client sent is no part of it. */
import type { ErrorCode } from '../../proto/errors.ts';
import type { Level } from '../levels.ts';
import { visible } from '../shapes/visible.ts';

/** `denied` is a refusal for want of a right or a valid token; `failed` a login with wrong credentials. */
export type AuditOutcome = 'success' | 'denied' | 'failed';

/** All that may be in `details`: names, levels and codes, never a configuration or a password. */
export interface AuditDetails {
  /** UUID of the account that acted, or that a login was tried for. */
  readonly actor_uuid?: string;
  /** Username of the author whose rights it had, where these were not the actor's: `runAs`. */
  readonly author?: string | undefined;
  /** The resource's id as its owners know it. */
  readonly id?: string;
  /** What was changed, as dotted paths. */
  readonly fields?: readonly string[];
  /** Whose rights were changed: an account's UUID, or `group:<name>`. */
  readonly subject?: string;
  readonly level?: Level;
  /** UUID of the node that was placed or removed. */
  readonly node?: string;
  /** Why it was refused. */
  readonly code?: ErrorCode;
}

/** An entry before it is stored. */
export interface NewEntry {
  readonly orgUuid: string;
  /** Unix epoch milliseconds. */
  readonly time: number;
  /** The username at the time; `unknown` where a login named no member. */
  readonly actor: string;
  /** For example `endpoint.create`; names of what routes do come from worker/audit/action.ts. */
  readonly action: string;
  /** For example `endpoint:<uuid>`. */
  readonly resource: string;
  readonly outcome: AuditOutcome;
  readonly address: string;
  readonly requestId: string;
  readonly details: AuditDetails;
  readonly repeats: number;
}

/** Characters of any text in an entry, before hidden ones are written out; what is longer is cut. */
const TEXT_MAX = 256;
const FIELDS_MAX = 50;
/** What is no path of members is not told: it could be anything. */
const FIELD = /^[\w.[\]-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** The entry as it is stored: bounded, well-formed Unicode, with the known details and no others. */
export function tidied(entry: NewEntry): NewEntry {
  const { actor_uuid, author, id, fields, subject, level, node, code } = entry.details;
  const texts = { actor_uuid, author, id, subject, level, node, code };
  const kept = Object.entries(texts).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, tidyText(value)] as const],
  );
  const paths = fields?.filter((field) => FIELD.test(field)).slice(0, FIELDS_MAX);
  return {
    orgUuid: entry.orgUuid,
    time: entry.time,
    actor: tidyText(entry.actor),
    action: tidyText(entry.action),
    resource: tidyText(entry.resource),
    outcome: entry.outcome,
    address: tidyText(entry.address),
    requestId: tidyText(entry.requestId),
    details: { ...Object.fromEntries(kept), ...(paths ? { fields: paths } : {}) },
    repeats: entry.repeats,
  };
}

function tidyText(text: string): string {
  return visible(text.slice(0, TEXT_MAX).toWellFormed().replace(CONTROL, ' '));
}
