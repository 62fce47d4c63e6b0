/** The state of a trigger: what the object that owns it reports. Spec: workflows.md §5, `GET /workflows/{w}/triggers`. */

/** Times are Unix epoch milliseconds. */
export interface TriggerState {
  /** In the definition. */
  readonly index: number;
  /** `failing`: what came last was recorded as a failed run, or could not be started. */
  readonly state: 'active' | 'paused' | 'failing';
  /** When something came last that started a run, or failed. */
  readonly last?: number;
  /** When a schedule comes next. */
  readonly next?: number;
  /** Why it fails. */
  readonly error?: { readonly code: string; readonly message: string };
}
