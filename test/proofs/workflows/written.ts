/** A definition as it is written, as far as generated ones go. Spec: workflows.md §1, §3, §4. */
import type { Json } from '../../../proto/json.ts';

/** An action as JSON; which members there are depends on its type. */
export interface Written {
  readonly id: string;
  readonly type: string;
  next?: Target | Choice;
  after?: string[];
  input?: { [member: string]: Json };
  output?: Json;
  idempotencyKey?: string;
  compensation?: Written;
  /** A duration, or that of waits and tasks. */
  timeout?: string | WrittenTimeout;
  endpoint?: string;
  operation?: 'read' | 'write';
  template?: string;
  condition?: string;
  true?: Target;
  false?: Target;
  branches?: (Written | Written[])[];
  joinResults?: boolean;
  collection?: string;
  as?: string;
  index?: string;
  mode?: string;
  maxConcurrency?: number;
  action?: Written | Written[];
  aggregation?: Record<string, string>;
  continueOnError?: boolean;
  eventSource?: string;
  eventPattern?: string;
  filter?: string;
  since?: string;
  duration?: string;
  until?: string;
  title?: string;
  assignees?: Json;
  workflow?: string;
  waitForCompletion?: boolean;
  selection?: {
    expression: string;
    options: Record<string, Written>;
    default?: string | Written;
  };
}

/** Id of what follows; null is the end of the list. */
export type Target = string | null;

export interface Choice {
  condition: string;
  true: Target;
  false: Target;
}

export interface WrittenTimeout {
  duration: string;
  action?: Target;
  escalation?: { roles: string[] };
}

export interface WrittenRetry {
  maxAttempts: number;
  initialInterval?: number;
  backoffRate?: number;
  multiplier?: number;
  maxInterval?: number;
  jitter?: boolean;
  retryableErrors?: string[];
  retryOnErrors?: string[];
}

export interface WrittenHandler {
  retry?: WrittenRetry | null;
  fallback?: Written | null;
  action?: string | null;
  escalation?: { threshold?: number; notification?: Json; incident?: Json } | null;
}

export interface Definition {
  name: string;
  actions: Written[];
  output?: Json;
  executionSettings?: { timeout: string };
  errorHandler?: { default?: WrittenHandler; actions?: Record<string, WrittenHandler> };
}

/** An action, or the list that replaces it. */
export function listOf(one: Written | readonly Written[]): readonly Written[] {
  return Array.isArray(one) ? one : [one as Written];
}
