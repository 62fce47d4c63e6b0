/** What the engine asks for outside of a run. Spec: workflows.md §7. */
import type { Json } from '../../../proto/json.ts';
import type { Ref } from './journal.ts';

/** What is to be done outside, once the transition is written. Each may be done twice; the receiver knows it again. */
export type Effect =
  | { readonly do: 'claim'; readonly path: string; readonly key: string }
  | {
      readonly do: 'settle';
      readonly path: string;
      readonly key: string;
      readonly as: 'done' | 'unknown' | 'free';
      readonly output?: Ref;
    }
  | {
      readonly do: 'start-child';
      readonly path: string;
      readonly child: string;
      readonly workflow: string;
      readonly waits: boolean;
    }
  | { readonly do: 'cancel-child' | 'undo-child'; readonly path: string; readonly child: string }
  | {
      readonly do: 'open-task';
      readonly path: string;
      /** Undefined: that of the action as it is now. */
      readonly task?: string;
      readonly escalated: boolean;
    }
  | {
      readonly do: 'close-task';
      readonly path: string;
      /** As of `open-task`. */
      readonly task?: string;
      readonly status: 'done' | 'expired';
      /** Who completed or rejected it. */
      readonly by?: string | undefined;
    }
  | {
      readonly do: 'listen';
      readonly path: string;
      readonly source: string;
      readonly pattern: string;
      /** Undefined: from now on. */
      readonly after: number | undefined;
    }
  | { readonly do: 'unlisten'; readonly path: string }
  | {
      readonly do: 'tell';
      readonly event: string;
      readonly path: string;
      readonly data: { readonly [member: string]: Json };
    }
  | { readonly do: 'end' }
  | { readonly do: 'undone' };
