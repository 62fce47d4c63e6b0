/** Contexts in which a run does things: they never were requests. Contract §9. */
import { withoutToken } from '../../access/api-keys/identity.ts';
import { asConfigured } from '../../access/external/present.ts';
import { type Bindings, type Context, openContext } from '../../context.ts';
import { withRightsOf } from './author.ts';
import type { RunHead } from './head.ts';

/** With the rights that a run has, and with those that it needs besides. */
export interface RunContexts {
  readonly own: Context;
  /** Of who retried the run last; undefined where nobody did. */
  readonly retrier: Context | undefined;
}

/** What a context is made of. */
type Of = Pick<RunHead, 'caller' | 'author' | 'address' | 'chain'>;

/** The context of whose rights a run has, as they are now. @throws GatewayError FORBIDDEN where its author is no account */
export function contextOf(
  env: Bindings,
  { caller, author, address, chain = 1 }: Of,
  run: string,
  signal: AbortSignal,
  waitUntil: (work: Promise<unknown>) => void,
): Context {
  const open = openContext({
    signal,
    env,
    outside: { now: Date.now, fetch: (request) => fetch(request) },
    requestId: run,
    address,
    waitUntil,
  });
  const { settings } = open;
  // A new password ends tokens, not the runs that were started by them; nor does a key's rotation.
  const present = { ...asConfigured(settings, withoutToken(caller)), issuedAt: Date.now() };
  return withRightsOf({ ...open, chain, caller: present }, author);
}

/** As `contextOf`, of all whose rights a run needs. */
export function contextsOf(
  env: Bindings,
  { id, head }: { readonly id: string; readonly head: RunHead },
  signal: AbortSignal,
  waitUntil: (work: Promise<unknown>) => void,
): RunContexts {
  const { retriedBy, chain } = head;
  const by = retriedBy && { ...retriedBy, ...(chain === undefined ? {} : { chain }) };
  return {
    own: contextOf(env, head, id, signal, waitUntil),
    retrier: by && contextOf(env, by, id, signal, waitUntil),
  };
}
