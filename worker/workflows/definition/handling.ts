/** What is done when actions fail, once `errorHandler` was read. Spec: workflows.md §4. */
import type { Action, Value } from './tree.ts';

/** What is done when an attempt fails. */
export interface Handler {
  /** Undefined: one attempt. */
  readonly retry: Retry | undefined;
  /** Of `errorHandler.default` one action for many: what failed belongs in its path in the journal. */
  readonly fallback: Action | undefined;
  /** Id of a later action of the top level, where the run goes on. */
  readonly route: string | undefined;
  readonly escalation: Escalation | undefined;
}

export interface Retry {
  /** The first counted: 1 to 100. */
  readonly maxAttempts: number;
  readonly initialMs: number;
  readonly rate: number;
  readonly maxMs: number;
  /** Whether up to half of a delay is random. */
  readonly jitter: boolean;
  /** Codes, `*` or `TRANSIENT`; undefined: all but those that workflows.md §4 leaves out. */
  readonly on: ReadonlySet<string> | undefined;
}

/** Spec: workflows.md §4, `escalation`. */
export interface Escalation {
  /** Failed attempts, default 1. */
  readonly threshold: number;
  /** Data of the event `action.escalated`. */
  readonly notification: Value | undefined;
  readonly incident: Value | undefined;
  /** Those of the two that are actions as well. */
  readonly actions: readonly Action[];
}

/** Spec: workflows.md §4, `deadLetterQueue`. */
export interface DeadLetters {
  readonly destination: string | undefined;
  /** Default false. */
  readonly includeState: boolean;
  /** Default true. */
  readonly retryable: boolean;
  /** Default 30 days. */
  readonly retentionMs: number;
}
