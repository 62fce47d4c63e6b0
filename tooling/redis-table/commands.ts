/** What a real server says about all its commands, subcommands among them. */
import { onRedis, type PlainReply } from '../../test/servers/redis-server.ts';

/** One command as its server describes it. */
export interface ServedCommand {
  /** In lower case, with its subcommand after a blank. */
  readonly name: string;
  readonly flags: readonly string[];
  readonly categories: readonly string[];
  /** Whether its first word is a subcommand. */
  readonly isContainer: boolean;
}

/** All commands of a server. Source: redis.io/docs/latest/commands/command. */
export async function commandsOf(url: string): Promise<ServedCommand[]> {
  const [commands] = await onRedis(url, ['COMMAND']);
  return listed(commands ?? []).flatMap(withSubcommands);
}

function withSubcommands(command: PlainReply): ServedCommand[] {
  const [name, , flags, , , , categories, , , subcommands] = listed(command);
  const below = listed(subcommands ?? []);
  return [
    {
      name: String(name).toLowerCase().replace('|', ' '),
      flags: listed(flags ?? []).map(String),
      categories: listed(categories ?? []).map(String),
      isContainer: below.length > 0,
    },
    ...below.flatMap(withSubcommands),
  ];
}

function listed(reply: PlainReply): PlainReply[] {
  return Array.isArray(reply) ? reply : [];
}
