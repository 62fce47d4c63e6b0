/** Runs of templates that are under way in transactions: a commit waits until they have ended, and what comes behind it waits for it. */
import { Place } from './place.ts';

/** One that its transaction is to take in whole. */
interface UnderWay {
  readonly tickets: Set<string>;
  /** The commit that waits for them. */
  readonly line: Place;
}

export class Runs {
  readonly #underWay = new Map<string, UnderWay>();
  /** Those who came behind a commit that waits, by transaction. */
  readonly #behind = new Map<string, Place>();

  /** Whether any is under way in a transaction. */
  are(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Answers the ticket of a run that begins; of one that came behind a commit, once that has its place. */
  async begin(id: string): Promise<string> {
    await this.letOnTo(id);
    const found = this.#underWay.get(id) ?? { tickets: new Set(), line: new Place() };
    this.#underWay.set(id, found);
    const ticket = crypto.randomUUID();
    found.tickets.add(ticket);
    return ticket;
  }

  /** It has ended; it may be told twice. */
  end(id: string, ticket: string): void {
    const found = this.#underWay.get(id);
    if (found?.tickets.delete(ticket) && found.tickets.size === 0) this.forget(id);
  }

  /**
   * Who came behind a commit waits until it has its place. Answers false when the time is over before.
   * @param until in milliseconds
   * @param ticket of that commit, or of the run that a request belongs to: these go on
   */
  async letOnTo(id: string, until?: number, ticket?: string): Promise<boolean> {
    for (let line = this.#behind.get(id); line; line = this.#behind.get(id)) {
      const isOfRun = ticket !== undefined && this.#underWay.get(id)?.tickets.has(ticket) === true;
      if (isOfRun || line.ticket === ticket) return true;
      if (!(await line.isLeft(until))) return false;
    }
    return true;
  }

  /** A commit waits for those that are under way. Answers its ticket where it had to; `letOn` is to follow. */
  async ended(id: string): Promise<string | undefined> {
    await this.letOnTo(id);
    const found = this.#underWay.get(id);
    if (!found) return undefined;
    const line = new Place();
    this.#behind.set(id, line);
    await found.line.isLeft();
    return line.ticket;
  }

  /** The commit has its place: who came behind it looks again. */
  letOn(id: string, ticket: string | undefined): void {
    const line = this.#behind.get(id);
    if (!line || line.ticket !== ticket) return;
    this.#behind.delete(id);
    line.leave();
  }

  /** None is under way any more. */
  forget(id: string): void {
    const found = this.#underWay.get(id);
    this.#underWay.delete(id);
    found?.line.leave();
  }
}
