/** Headers by which servers take a request for another than its first line says. Contract §6: `/read` changes nothing. */

/**
 * A header's name as servers compare it at the widest: gateways of programs (CGI, WSGI, Rack, PHP)
 * read every character that is no letter and no digit as `_`, in any letter case, and some frameworks drop it.
 */
export function bareName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z\d]/g, '');
}

/** `X-HTTP-Method-Override`, `X-Method-Override`, `X-Verb-Override`, `X-Override-Method`, … */
const METHOD = /METHOD|VERB/;
const OVERRIDE = /OVERRID|OVERWRIT|TUNNEL/;
/** `X-HTTP-Method`, `X-Method`, `Request-Method`, `X-HTTP-Verb`, …: only the method is named. */
const NAMES_METHOD =
  /^(?:X|HTTP|REST|REAL|TRUE|REQUEST|REQUESTED|ORIGINAL|FORWARDED|INTENDED|ACTUAL|EFFECTIVE|ALLOW|API)*(?:METHOD|VERB)$/;

/** Whether a server may take the method from a header of this name. */
export function isMethodOverride(name: string): boolean {
  const bare = bareName(name);
  return saysBoth(bare, METHOD, OVERRIDE) || NAMES_METHOD.test(bare);
}

/** `X-HTTP-Path-Override`, `X-Override-URL`, …: another path than the one that was looked at. */
const TARGET = /PATH|URL|URI|HOST/;
const OVERRIDE_ALONE = /OVERRID|OVERWRIT/;
/** Variables of CGI, which servers in Python and behind proxies take from headers of their names. */
const OF_CGI = new Set([
  ...['SCRIPTNAME', 'PATHINFO', 'PATHTRANSLATED', 'REQUESTURI', 'REMOTEUSER', 'REMOTEADDR'],
  ...['XREQUESTURI', 'XREQUESTURL', 'XREALURL', 'XSCRIPTNAME'],
]);

/** Whether a server may take the path, the host or the client's identity from a header of this name. */
export function isTargetOverride(name: string): boolean {
  const bare = bareName(name);
  return saysBoth(bare, TARGET, OVERRIDE_ALONE) || OF_CGI.has(bare);
}

/** Whether there is one of each, in either order; each is looked for once, however often it comes. */
function saysBoth(bare: string, one: RegExp, other: RegExp): boolean {
  return comesBefore(bare, one, other) || comesBefore(bare, other, one);
}

function comesBefore(bare: string, first: RegExp, second: RegExp): boolean {
  const found = first.exec(bare);
  return found !== null && second.test(bare.slice(found.index + found[0].length));
}
