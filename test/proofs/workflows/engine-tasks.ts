/** People who answer tasks next to the engine; each sends an earlier answer again. */
import type { taskEnded } from '../../../worker/workflows/engine/arrivals.ts';
import type { Effect } from '../../../worker/workflows/engine/effect.ts';
import type { Fate } from './fate.ts';

/** What the tasks of one run are answered in. */
interface Around {
  readonly fate: Fate;
  /** How often the action has asked, this time counted. */
  nth(path: string): number;
  after(ms: number, path: string, end: () => void): void;
  log(what: string, path: string): void;
  /** Answers whether the task was open. */
  end(path: string, ended: Parameters<typeof taskEnded>[2]): boolean;
}

/** Tasks that a run opens. */
export class EngineTasks {
  readonly #around: Around;
  readonly #opened = new Set<string>();
  readonly #answered = new Map<string, string>();

  constructor(around: Around) {
    this.#around = around;
  }

  /** Opens a task, or tells that more people may answer it. @throws Error where an answer to an earlier task counts for it */
  open({ path, task = '', escalated }: Extract<Effect, { do: 'open-task' }>): void {
    const { fate, nth, after, log, end } = this.#around;
    log(escalated ? 'escalate-task' : 'open-task', path);
    if (escalated) return;
    if (this.#opened.has(task)) throw new Error(`Two tasks have the id ${task}`);
    this.#opened.add(task);
    this.#repeat(path);
    const coming = fate.task(path, nth(path));
    if (!coming) return;
    const { ms, is } = coming;
    after(ms, path, () => {
      const ended = 'form' in is ? { form: JSON.stringify(is.form) } : is;
      if (end(path, { by: 'someone', task, ...ended })) this.#answered.set(path, task);
      this.#repeat(path);
    });
  }

  /** The last answer of that place comes once more. */
  #repeat(path: string): void {
    const task = this.#answered.get(path);
    if (task === undefined) return;
    const isOpen = this.#around.end(path, { by: 'someone', task, rejected: 'once more' });
    if (isOpen) throw new Error(`The task ${task} is answered twice`);
  }
}
