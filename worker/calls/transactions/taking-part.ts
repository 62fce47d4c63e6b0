/** What clients go on with request by request, for the callers of their log. Spec: transactions.md §5. */

import type { Isolation } from '../../../proto/prepares.ts';
import type { Demand } from '../../access/demand.ts';
import type { NewShare, NewTransaction, Shown, Status } from './object.ts';

/** Terms of a transaction that its client goes on with, request by request. Spec: transactions.md §5. */
export interface Terms {
  readonly isolation?: Isolation | undefined;
  readonly require?: 'atomic' | undefined;
}

/** Such a transaction, as it is announced: nothing takes part yet. */
export type NewInteractive = Omit<NewTransaction, 'guarantee' | 'claims' | 'shares' | 'key'> & {
  readonly keys?: readonly string[] | undefined;
  readonly terms: Terms;
};

/** A connection that a participant holds at a node, and what is known of it so far. */
export interface HeldShare {
  /** UUID. */
  readonly node: string;
  /** The node's own name for it. */
  readonly session: string;
  readonly onlyRead: boolean;
  /** What the backend is asked by, should its commit decide. */
  readonly recovery: string;
  /** What its requests demanded of their callers' rights: the commit demands it again. */
  readonly demands?: readonly Demand[] | undefined;
}

/** A participant whose first request is under way: what that opens is not known yet. */
export interface Coming {
  /** Unix epoch milliseconds by which it has come to its backend, or does not any more. */
  readonly until: number;
}

/** A request that takes part. */
export interface Entering {
  readonly id: string;
  /** UUID of the caller. */
  readonly caller: string;
  /** The endpoint; undefined where it takes part without holding anything. */
  readonly share: Omit<NewShare, 'n'> | undefined;
  /** Whether it conflicts with others on the endpoint. */
  readonly claims: boolean;
  /** Milliseconds that are left to the request. */
  readonly leftMs: number;
  /** Ticket of the run that it belongs to. */
  readonly run?: string | undefined;
}

/** Why a transaction does not go on. */
export type Closed =
  | { readonly is: 'unknown' | 'circle' | 'late' }
  | { readonly is: 'closed'; readonly status: Status }
  | { readonly is: 'doubt'; readonly holder: string };

/** What entering answers. */
export type Entered =
  | Closed
  | {
      readonly is: 'entered';
      readonly log: string;
      /** Of its place: it leaves with it. */
      readonly ticket: string;
      readonly n: number;
      readonly terms: Terms;
      /** Undefined at the first use of its endpoint. */
      readonly held: HeldShare | undefined;
      /** The one that decides so far. */
      readonly decider: string | undefined;
    };

/** What the beginning of a run answers that its transaction takes in whole. */
export type RunBegun = Closed | { readonly is: 'under way'; readonly run: string };

/** A request that has ended well. */
export interface Leaving {
  readonly id: string;
  /** As `Entered` gave it. */
  readonly ticket: string;
  readonly n: number;
  /** What it leaves open on its endpoint. */
  readonly held: HeldShare | undefined;
}

/** A participant of a transaction that its client has gone on with. */
export interface OpenShare extends Omit<NewShare, 'revision'> {
  readonly held: HeldShare;
}

/** What the end of such a transaction begins with. */
export type Closing =
  | Closed
  | { readonly is: 'done'; readonly shown: Shown }
  | {
      readonly is: 'closing';
      readonly log: string;
      readonly shares: readonly OpenShare[];
      readonly leftMs: number;
    };
