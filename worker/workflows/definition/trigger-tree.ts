/** Triggers of a workflow once its definition was read. Spec: "Events"; workflows.md §5. */
import type { Expr, Value } from './tree.ts';

/** What starts runs besides callers. */
export type Trigger =
  | ApiTrigger
  | ScheduleTrigger
  | EventTrigger
  | WebhookTrigger
  | DataChangeTrigger;

/** `$` is the event, delivery or change, and its members go by their bare names. */
export interface OnDelivery {
  readonly filter: Expr | undefined;
  readonly mapping: Value | undefined;
}

export interface ApiTrigger {
  readonly type: 'api';
  readonly index: number;
  readonly synchronous: boolean;
  /** False: anyone may start it at `/hooks`. */
  readonly required: boolean;
}

export interface ScheduleTrigger {
  readonly type: 'schedule';
  readonly index: number;
  readonly schedule: string;
  readonly timezone: string;
  readonly input: Value | undefined;
  readonly missed: 'once' | 'all' | 'skip';
  readonly overlap: 'allow' | 'skip' | 'queue';
}

export interface EventTrigger extends OnDelivery {
  readonly type: 'event';
  readonly index: number;
  readonly source: string;
  readonly event: string;
}

export interface WebhookTrigger extends OnDelivery {
  readonly type: 'webhook';
  readonly index: number;
  /** Without the leading `/`. */
  readonly path: string;
  readonly synchronous: boolean;
  readonly authentication: {
    readonly scheme: 'plain' | 'standard' | 'stripe' | 'slack';
    readonly algorithm: 'sha256' | 'sha512';
    readonly header: string | undefined;
    /** Sealed in the definition; they are opened when a delivery is verified. */
    readonly secrets: readonly string[];
    readonly idHeader: string | undefined;
    readonly id: Expr | undefined;
  };
}

export interface DataChangeTrigger extends OnDelivery {
  readonly type: 'dataChange';
  readonly index: number;
  readonly endpoint: string;
  readonly collection: string;
  readonly operations: ReadonlySet<'insert' | 'update' | 'delete'>;
  readonly ordered: boolean;
}
