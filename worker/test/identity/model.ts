/** What is promised of accounts, memberships, resets and tokens, as plain sets: what tests hold the gateway to. */

/** An account as the model knows it. */
export interface Person {
  readonly uuid: string;
  name: string;
  password: string;
  /** Its owner completed a reset that was sent to the present name. */
  isVerified: boolean;
  /** The organization that gave it the present name; undefined once its owner gave another. */
  namedBy: number | undefined;
  readonly memberOf: Set<number>;
}

/** A token that was issued, and whether anything has ended it since. */
interface Bearer {
  readonly text: string;
  readonly organization: number;
  readonly person: Person;
  isAlive: boolean;
}

/** A reset that was started, and whether anything has ended it since. */
interface Started {
  readonly token: string;
  readonly person: Person;
  readonly sentTo: string;
  isOpen: boolean;
}

/** All of it, and what events do to it. */
export class Model {
  readonly people: Person[] = [];
  readonly tokens: Bearer[] = [];
  readonly resets: Started[] = [];

  named(name: string): Person | undefined {
    return this.people.find((each) => each.name.toLowerCase() === name.toLowerCase());
  }

  /** Whether another organization may make it a member. */
  mayJoin(person: Person, organization: number): boolean {
    return person.isVerified || person.namedBy === organization;
  }

  /** Its tokens everywhere end, and its resets. */
  endAll(person: Person): void {
    for (const each of this.tokens) if (each.person === person) each.isAlive = false;
    for (const each of this.resets) if (each.person === person) each.isOpen = false;
  }

  rename(person: Person, name: string): void {
    if (person.name === name) return;
    person.name = name;
    person.isVerified = false;
    person.namedBy = undefined;
    this.endAll(person);
  }

  setPassword(person: Person, password: string): void {
    person.password = password;
    this.endAll(person);
  }

  remove(person: Person, organization: number): void {
    person.memberOf.delete(organization);
    for (const each of this.tokens) {
      if (each.person === person && each.organization === organization) each.isAlive = false;
    }
  }
}
