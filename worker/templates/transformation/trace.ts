/** What a render shows of each rule. Spec: "Render result", `transformationSteps`. */
import type { Json } from '../../../proto/json.ts';
import type { Step } from '../compiled.ts';

/** Most steps that are shown. Spec silent. */
const STEPS_MAX = 1_000;

/** A step that is still being made. */
interface Draft {
  rule: string;
  input?: Json;
  readonly transformations: { readonly name: string; readonly output: Json }[];
  note?: string;
  logLevel?: string;
  round?: number;
}

/** The steps of one render, bounded in number and in bytes of JSON. */
export class RenderTrace {
  readonly #steps: (Draft | Step)[] = [];
  #bytes: number;
  /** Whether a request was shown in the place of what it would answer. */
  isUnsent = false;
  /** The step of the rule at hand; once there are too many it is not shown. */
  current: Draft = { rule: '', transformations: [] };

  /** @param bytes that all steps may come to */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Whether nothing more is going to be shown. */
  get isFull(): boolean {
    return this.#steps.length > STEPS_MAX || this.#bytes < 0;
  }

  /** Remembers how far it is; answers what comes back to it. */
  mark(): () => void {
    const [{ length }, bytes, { isUnsent, current }] = [this.#steps, this.#bytes, this];
    return () => {
      this.#steps.length = length;
      this.#bytes = bytes;
      Object.assign(this, { isUnsent, current });
    };
  }

  begin(rule: string): Draft {
    this.current = { rule, transformations: [] };
    this.#push(this.current);
    return this.current;
  }

  input(value: Json | undefined): void {
    if (value !== undefined && this.#hasRoom(value)) this.current.input = value;
  }

  made(name: string, output: Json | undefined): void {
    const shown = output ?? null;
    if (this.#hasRoom(shown)) this.current.transformations.push({ name, output: shown });
  }

  /** Why there is no value; the first word counts. */
  note(note: string): void {
    this.current.note ??= note;
  }

  /** Steps of a nested template. */
  fold(steps: readonly Step[]): void {
    for (const step of steps) {
      this.isUnsent ||= step.request !== undefined;
      if (this.#hasRoom(step as unknown as Json)) this.#push(step); // Of members that are JSON.
    }
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  #push(step: Draft | Step): void {
    if (this.isFull) return;
    if (this.#steps.length < STEPS_MAX) this.#steps.push(step);
    else this.#end();
  }

  #hasRoom(value: Json): boolean {
    if (this.isFull) return false;
    this.#bytes -= JSON.stringify(value).length;
    if (this.#bytes < 0) this.#end();
    return this.#bytes >= 0;
  }

  #end(): void {
    this.#steps.push({
      rule: '…',
      transformations: [],
      note: 'there are more steps than are shown',
    });
  }
}
