/** The version that a trigger runs, and the account whose rights its runs have. Contract §9. */
import type { Caller, Context } from '../../context.ts';
import type { Workflow } from '../definition/tree.ts';
import { storedBy } from '../runs/author.ts';
import { contextOf } from '../runs/contexts.ts';
import type { RunAuthor } from '../runs/head.ts';
import type { Owner } from '../runs/object.ts';
import { loadDefinition } from '../runs/source.ts';
import type { Firing, Occurrence } from './start.ts';

/** What a run is started with. */
export interface Authored {
  readonly workflow: Workflow;
  /** The author, as they would call. Whether the account is still there is asked at each action. */
  readonly caller: Caller;
  readonly username: string;
  /** Of a version that has its author's rights, no matter who calls. */
  readonly author?: RunAuthor;
  readonly ctx: Context;
}

/** Milliseconds that stand for a token which does not expire. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Undefined where the version is no more. Usually this takes no trip to D1. */
export async function authored(
  at: Firing,
  { orgUuid, orgId }: Owner,
  { workflow: version, requestId, address }: Pick<Occurrence, 'workflow' | 'requestId' | 'address'>,
  run: string,
): Promise<Authored | undefined> {
  const contextFor = (caller: Caller): Context => {
    const signal = new AbortController().signal;
    const ctx = contextOf(at.env, { caller, address }, run, signal, (work) => at.later(work));
    return { ...ctx, requestId };
  };
  const of = { orgUuid, orgId, issuedAt: Date.now(), loginAt: 0, expiresAt: NEVER_MS };
  const asNobody = contextFor({ ...of, userUuid: '', userId: '' });
  const author = await storedBy(asNobody, version);
  if (!author) return undefined;
  const workflow = await loadDefinition(asNobody.db, orgUuid, version);
  if (!workflow) return undefined;
  const username = author.username ?? author.createdBy;
  // Of a version that no account stored, nobody: its actions are refused.
  const caller = { ...of, userUuid: author.authorUuid ?? '', userId: username };
  const found = { workflow, caller, username, ctx: contextFor(caller) };
  return author.runAs === 'author'
    ? { ...found, author: { uuid: author.authorUuid, name: username, workflow: version.id } }
    : found;
}
