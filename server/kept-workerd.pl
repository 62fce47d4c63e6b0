#!/usr/bin/perl
# Runs one of several edge runtimes, and starts it again when it dies: sooner than the program that started this script
# could, which makes the runtime's configuration anew. Its port stays open meanwhile, so that clients who are about to be
# served wait for it. Signals are those of listening-workerd.pl.
use strict;
use warnings;
use POSIX ();
use Socket qw(:all);

# One that ends sooner does not start at all: the program that started this script says why.
my $SHORTEST_S = 2;

my ($host, $port, $name) = @ENV{qw(WORKERD_HOST WORKERD_PORT WORKERD_SOCKET)};
my ($inner_name, $inner_path) = @ENV{qw(WORKERD_INNER_SOCKET WORKERD_INNER_PATH)};

binmode STDIN;
my $configuration = do { local $/; <STDIN> };
$^F = 1023;    # The runtime inherits what is opened from here on.
my @sockets = "--socket-addr=$inner_name=unix:$inner_path";
my $socket = $name ? listening() : undef;
push @sockets, "--socket-fd=$name=" . fileno($socket) if $socket;

# What is typed at the terminal reaches the gateway alone.
POSIX::setsid();
my ($runtime, $told) = (0, '');
$SIG{TERM} = sub { $told = 'TERM'; kill 'TERM', $runtime if $runtime };
$SIG{USR2} = sub { $told = 'KILL'; kill 'KILL', $runtime if $runtime };
$SIG{USR1} = sub { shutdown($socket, SHUT_RD) if $socket };

for (my $turn = 0 ; ; $turn++) {
    my $began = time;
    $runtime = started($turn);
    # Told before there was one.
    kill $told, $runtime if $told;
    while (waitpid($runtime, 0) != $runtime) { }
    my $ended = $?;
    $runtime = 0;
    exit($ended >> 8 || ($ended & 127 ? 128 + ($ended & 127) : 0)) if $told || time - $began < $SHORTEST_S;
    # As the runtime itself tells what it logs; server/runtime.ts knows the message.
    my $line = '{"timestamp":"%d000","level":"warn","message":"A runtime ended; starting it again."}';
    syswrite STDOUT, sprintf("$line\n", time);
}

# Each of several has a socket of its own at the port; the system deals connections out to them.
sub listening {
    my $is_v6 = $host =~ /:/;
    my $family = $is_v6 ? AF_INET6 : AF_INET;
    my $address = inet_pton($family, $host);
    socket(my $made, $family, SOCK_STREAM, 0) or die "socket: $!\n";
    setsockopt($made, SOL_SOCKET, $_, 1) or die "setsockopt: $!\n" for SO_REUSEADDR, SO_REUSEPORT;
    bind($made, $is_v6 ? pack_sockaddr_in6($port, $address) : pack_sockaddr_in($port, $address)) or die "bind: $!\n";
    listen($made, SOMAXCONN) or die "listen: $!\n";
    return $made;
}

# The runtime's process. It reads its configuration from another one, because a pipe holds a part of it at most.
sub started {
    my ($turn) = @_;
    pipe(my $reader, my $writer) or die "pipe: $!\n";
    my $child = forked(sub {
        close $writer;
        POSIX::dup2(fileno($reader), 0) // die "dup2: $!\n";
        close $reader;
        # Where a runtime tells its ports; nobody listens any more.
        POSIX::dup2(POSIX::open('/dev/null', POSIX::O_WRONLY()), 3) // die "dup2: $!\n" if $turn > 0;
        unlink $inner_path;
        exec('/usr/bin/setpriv', '--pdeathsig=KILL', '--', @ARGV, @sockets) or die "exec: $!\n";
    });
    my $writing = forked(sub {
        close $reader;
        binmode $writer;
        print $writer $configuration;
        close $writer;
    });
    close $_ for $reader, $writer;
    while (waitpid($writing, 0) != $writing) { }
    return $child;
}

sub forked {
    my ($does) = @_;
    my $child = fork() // die "fork: $!\n";
    return $child if $child;
    $SIG{$_} = 'DEFAULT' for qw(TERM USR1 USR2);
    $does->();
    POSIX::_exit(0);
}
