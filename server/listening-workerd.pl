#!/usr/bin/perl
# Runs the edge runtime on a socket that it is given, so that the socket can be closed while requests are
# still in flight: the runtime itself keeps it open until its last reply, and then resets who waits on it.
# TERM is passed on: the runtime takes no more from then on. USR1 closes the socket. USR2 ends the runtime at once.
use strict;
use warnings;
use POSIX ();
use Socket qw(:all);

my ($host, $port, $name) = @ENV{qw(WORKERD_HOST WORKERD_PORT WORKERD_SOCKET)};
my $is_v6 = $host =~ /:/;
my $family = $is_v6 ? AF_INET6 : AF_INET;
my $address = inet_pton($family, $host);

$^F = 1023;    # The runtime inherits it.
socket(my $socket, $family, SOCK_STREAM, 0) or die "socket: $!\n";
setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
bind($socket, $is_v6 ? pack_sockaddr_in6($port, $address) : pack_sockaddr_in($port, $address))
  or die "bind: $!\n";
listen($socket, SOMAXCONN) or die "listen: $!\n";

# What is typed at the terminal reaches the gateway alone.
POSIX::setsid();
my $runtime = fork() // die "fork: $!\n";
if ($runtime == 0) {
    my $descriptor = fileno($socket);
    exec('/usr/bin/setpriv', '--pdeathsig=KILL', '--', @ARGV, "--socket-fd=$name=$descriptor");
    die "exec: $!\n";
}

$SIG{TERM} = sub { kill 'TERM', $runtime };
$SIG{USR2} = sub { kill 'KILL', $runtime };
$SIG{USR1} = sub { shutdown($socket, SHUT_RD) };
while (waitpid($runtime, 0) != $runtime) { }
exit($? >> 8 || ($? & 127 ? 128 + ($? & 127) : 0));
