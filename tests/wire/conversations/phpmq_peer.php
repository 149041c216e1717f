<?php declare(strict_types=1);
/**
 * PHPMQ client and endpoint, written from the page "The PHPMQ message protocol" alone.
 *
 *     php phpmq_peer.php client QUEUE FILE PORT   write messages to an endpoint on 127.0.0.1, good and bad, then read
 *                                                 them back
 *     php phpmq_peer.php endpoint QUEUE FILE      print a port, wait for a reader, dispatch messages to it, good and bad
 *
 * Contents are any bytes to the page. FILE is a JSON object of two objects from names to contents in base64: `good`, which
 * the other end takes, and `bad`, which it refuses though the protocol allows them.
 *
 * Each prints one JSON object a line: a case, what was sent, what the page demands, what came back, and whether that
 * passes; the exit status is 1 if a case fails. Bytes that are no text are printed in base64.
 *
 * Page sections it implements:
 *
 * - message header: H, version 01, three bytes of type, two of package count; 8 bytes;
 * - package header: P, two bytes of type, the content's length in bytes filled up with zeros; 32 bytes. So the length has
 *   29 digits, as in all of the page's whole messages (its first example has 38 bytes). The page's line breaks count in
 *   no length that it names, and are not sent;
 * - message types 001 to 006, each with its packages in the page's order;
 * - life of a message: written (001), asked for (002), dispatched with an id and the remaining time to live (003), then
 *   acknowledged (004), queued again at the end (005) or removed as a dead letter (006), with the queue's name and the id.
 *
 * The page names no answer of the endpoint to a bad message: 003 is the only type that an endpoint sends. So it answers
 * nothing, and keeps no message. A reader that refuses a dispatched message removes it with 006 and its id; a message
 * whose id cannot be read has no answer. Whether the connection outlives bytes that are no message is not on the page:
 * such a case has a connection of its own, which the sender half-closes, so that the end of the answers is seen.
 */

const VERSION = 1;
const WRITE = 1, CONSUME = 2, DISPATCH = 3, ACKNOWLEDGE = 4, REQUEUE = 5, DEAD_LETTER = 6;
const QUEUE_NAME = 1, CONTENT = 2, ID = 3, COUNT = 4, TTL = 5;
const PACKAGES = [
    WRITE => [QUEUE_NAME, CONTENT, TTL],
    CONSUME => [QUEUE_NAME, COUNT],
    DISPATCH => [QUEUE_NAME, CONTENT, ID, TTL],
    ACKNOWLEDGE => [QUEUE_NAME, ID],
    REQUEUE => [QUEUE_NAME, ID, TTL],
    DEAD_LETTER => [QUEUE_NAME, ID],
];
final class BrokenMessage extends RuntimeException
{
}

function package(int $type, string $content): string
{
    return sprintf('P%02d%029d', $type, strlen($content)) . $content;
}

/** @param array<int, string> $contents content by package type */
function message(int $type, array $contents): string
{
    $packages = '';
    foreach ($contents as $package => $content) {
        $packages .= package($package, $content);
    }
    return sprintf('H%02d%03d%02d', VERSION, $type, count($contents)) . $packages;
}

/** @param resource $stream */
function read_bytes($stream, int $count): string
{
    $bytes = '';
    while (strlen($bytes) < $count) {
        $chunk = fread($stream, $count - strlen($bytes));
        if ($chunk === false || ($chunk === '' && (feof($stream) || stream_get_meta_data($stream)['timed_out']))) {
            throw new BrokenMessage(sprintf('stream ends after %d of %d bytes: %s', strlen($bytes), $count, $bytes));
        }
        $bytes .= $chunk;
    }
    return $bytes;
}

/**
 * Read one message and check it against the page.
 *
 * @param resource $stream
 * @return array{type: int, contents: array<int, string>}
 */
function read_message($stream): array
{
    $header = read_bytes($stream, 8);
    if (!preg_match('/^H(\d{2})(\d{3})(\d{2})$/D', $header, $part)) {
        throw new BrokenMessage("not a message header: $header");
    }
    [$version, $type, $count] = [(int) $part[1], (int) $part[2], (int) $part[3]];
    if ($version !== VERSION || !isset(PACKAGES[$type])) {
        throw new BrokenMessage("unknown version or type: $header");
    }
    $contents = [];
    for ($number = 0; $number < $count; $number++) {
        $head = read_bytes($stream, 32);
        if (!preg_match('/^P(\d{2})(\d{29})$/D', $head, $part)) {
            throw new BrokenMessage("not a package header: $head");
        }
        $contents[(int) $part[1]] = read_bytes($stream, (int) $part[2]);
    }
    if (array_keys($contents) !== PACKAGES[$type]) {
        throw new BrokenMessage("message $header has packages " . implode(', ', array_keys($contents)));
    }
    return ['type' => $type, 'contents' => $contents];
}

/** Bytes that break the framing or the tables of the page, around one sound message. @return array<string, string> */
function broken_messages(int $type, array $contents): array
{
    $sound = message($type, $contents);
    $count = count($contents);
    $header = sprintf('H%02d%03d%02d', VERSION, $type, $count);
    $packages = substr($sound, 8);
    $content = $contents[CONTENT];
    $length = sprintf('P02%029d', strlen($content));
    $without = static fn(int $package): string => message($type, array_diff_key($contents, [$package => '']));
    return [
        'header cut short' => substr($sound, 0, 5),
        'header without packages' => $header,
        'package header cut short' => substr($sound, 0, 8 + 20),
        'content cut short' => substr($sound, 0, -1),
        'lower-case header flag' => 'h' . substr($sound, 1),
        'header flag is another letter' => 'X' . substr($sound, 1),
        'version 02' => 'H02' . substr($sound, 3),
        'version 00' => 'H00' . substr($sound, 3),
        'version is not a number' => 'H0x' . substr($sound, 3),
        'type 000' => 'H01000' . substr($sound, 6),
        'type 007' => 'H01007' . substr($sound, 6),
        'type is not a number' => 'H010a1' . substr($sound, 6),
        'package count is not a number' => substr($header, 0, 6) . 'xx' . $packages,
        'package count 00' => substr($header, 0, 6) . '00' . $packages,
        'package count too high' => substr($header, 0, 6) . sprintf('%02d', $count + 1) . $packages,
        'package count too low' => substr($header, 0, 6) . sprintf('%02d', $count - 1) . $packages,
        'package flag is another letter' => $header . 'Q' . substr($packages, 1),
        'package type 00' => $header . 'P00' . substr($packages, 3),
        'package type 06' => $header . 'P06' . substr($packages, 3),
        'package type of another message type' => message($type, [QUEUE_NAME => $contents[QUEUE_NAME], COUNT => '1'] + $contents),
        'content length is not a number' => str_replace($length, 'P02' . str_repeat('z', 29), $sound),
        'content length with a sign' => str_replace($length, sprintf('P02%+029d', strlen($content)), $sound),
        'content length filled up with spaces' => str_replace($length, sprintf('P02%29d', strlen($content)), $sound),
        'content length one too low' => str_replace($length, sprintf('P02%029d', strlen($content) - 1), $sound),
        'content length one too high' => str_replace($length, sprintf('P02%029d', strlen($content) + 1), $sound),
        'content length of 29 nines' => str_replace($length, 'P02' . str_repeat('9', 29), $sound),
        'package header of 38 bytes' => str_replace($length, 'P02' . sprintf('%035d', strlen($content)), $sound),
        'no queue name' => $without(QUEUE_NAME),
        'no content' => $without(CONTENT),
        'no time to live' => $without(TTL),
        'queue name twice' => sprintf('H01%03d%02d', $type, $count + 1) . package(QUEUE_NAME, $contents[QUEUE_NAME]) . $packages,
        'time to live is not a number' => message($type, array_replace($contents, [TTL => 'soon'])),
    ];
}

/** @param array<string, mixed> $line */
function report(array $line): bool
{
    foreach ($line as $key => $value) {
        if (is_string($value) && preg_match('//u', $value) !== 1) {
            $line[$key] = ['base64' => base64_encode($value)];
        }
    }
    fwrite(STDOUT, json_encode($line, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n");
    return $line['passes'];
}

/** @return resource */
function connect(int $port)
{
    $stream = stream_socket_client("tcp://127.0.0.1:$port", $code, $error, 30);
    if ($stream === false) {
        throw new RuntimeException($error);
    }
    stream_set_timeout($stream, 30);
    return $stream;
}

/** @param resource $stream */
function send($stream, string $bytes): void
{
    for ($sent = 0; $sent < strlen($bytes); $sent += $count) {
        $count = @fwrite($stream, substr($bytes, $sent));
        if ($count === false || $count === 0) {
            return; // the other end has closed: what it has sent before is read next
        }
    }
}

/** Bytes that come until the other end closes. @param resource $stream */
function rest_of($stream): string
{
    stream_socket_shutdown($stream, STREAM_SHUT_WR);
    $rest = '';
    while (!feof($stream)) {
        $chunk = @fread($stream, 65536);
        if ($chunk === false || ($chunk === '' && stream_get_meta_data($stream)['timed_out'])) {
            return $rest . '(still open)';
        }
        $rest .= $chunk;
    }
    return $rest;
}

/** @param array{good: array<string, string>, bad: array<string, string>} $contents_of */
function run_client(string $queue, array $contents_of, int $port): bool
{
    $passes = true;
    $sound = [QUEUE_NAME => $queue, CONTENT => reset($contents_of['good']), TTL => '3600'];
    $bad = broken_messages(WRITE, $sound);
    foreach ($contents_of['bad'] as $name => $content) {
        $bad[$name] = message(WRITE, [QUEUE_NAME => $queue, CONTENT => $content, TTL => '3600']);
    }
    $bad['a dispatch from a client'] = message(DISPATCH, [QUEUE_NAME => $queue, CONTENT => $sound[CONTENT], ID => str_repeat('a', 32), TTL => '1']);
    foreach ($bad as $name => $bytes) {
        $stream = connect($port);
        send($stream, $bytes);
        $answer = rest_of($stream);
        $passes = report(['case' => $name, 'good' => false, 'sent' => $bytes, 'demanded' => '', 'answer' => $answer, 'passes' => $answer === '']) && $passes;
    }
    // All on one connection: several messages may follow on one stream.
    $stream = connect($port);
    $waiting = [];
    foreach ($contents_of['good'] as $name => $content) {
        send($stream, message(WRITE, [QUEUE_NAME => $queue, CONTENT => $content, TTL => '3600']));
        $waiting[] = [$name, $content];
    }
    // One message more is asked for than was written: a bad message that the endpoint kept would come back, too.
    send($stream, message(CONSUME, [QUEUE_NAME => $queue, COUNT => (string) (count($waiting) + 1)]));
    $ids = [];
    foreach ($waiting as [$name, $content]) {
        $dispatched = read_message($stream);
        $contents = $dispatched['contents'];
        $equal = $dispatched['type'] === DISPATCH && $contents[QUEUE_NAME] === $queue
            && $contents[CONTENT] === $content
            && $contents[ID] !== '' && !isset($ids[$contents[ID]])
            && ctype_digit($contents[TTL]) && (int) $contents[TTL] <= 3600;
        $ids[$contents[ID]] = $name;
        $passes = report(['case' => $name, 'good' => true, 'sent' => $content, 'demanded' => 'dispatched with equal content', 'answer' => $contents[CONTENT], 'id' => $contents[ID], 'passes' => $equal]) && $passes;
    }
    // The first is queued again and comes back; the second is removed; the others are acknowledged.
    $again = array_key_first($ids);
    foreach (array_keys($ids) as $number => $id) {
        $id = (string) $id;
        send($stream, match ($number) {
            0 => message(REQUEUE, [QUEUE_NAME => $queue, ID => $id, TTL => '60']),
            1 => message(DEAD_LETTER, [QUEUE_NAME => $queue, ID => $id]),
            default => message(ACKNOWLEDGE, [QUEUE_NAME => $queue, ID => $id]),
        });
    }
    send($stream, message(CONSUME, [QUEUE_NAME => $queue, COUNT => '5']));
    $dispatched = read_message($stream);
    $equal = $dispatched['contents'][ID] === (string) $again && (int) $dispatched['contents'][TTL] <= 60;
    $passes = report(['case' => 'queued again', 'good' => true, 'sent' => (string) $again, 'demanded' => 'dispatched again with its new time to live', 'answer' => $dispatched['contents'][CONTENT], 'passes' => $equal]) && $passes;
    send($stream, message(ACKNOWLEDGE, [QUEUE_NAME => $queue, ID => (string) $again]));
    $answer = rest_of($stream);
    return report(['case' => 'nothing is left', 'good' => true, 'sent' => '', 'demanded' => '', 'answer' => $answer, 'passes' => $answer === '']) && $passes;
}

/** @return resource */
function accept_reader($listener, string $queue)
{
    $stream = stream_socket_accept($listener, 60);
    if ($stream === false) {
        throw new RuntimeException('no reader came');
    }
    stream_set_timeout($stream, 30);
    $request = read_message($stream);
    if ($request['type'] !== CONSUME || $request['contents'][QUEUE_NAME] !== $queue || !ctype_digit($request['contents'][COUNT])) {
        throw new BrokenMessage('a reader asks for messages first');
    }
    return $stream;
}

/** @param array{good: array<string, string>, bad: array<string, string>} $contents_of */
function run_endpoint(string $queue, array $contents_of): bool
{
    $sound = reset($contents_of['good']);
    $listener = stream_socket_server('tcp://127.0.0.1:0', $code, $error);
    $name = stream_socket_get_name($listener, false);
    fwrite(STDOUT, json_encode(['port' => (int) substr($name, strrpos($name, ':') + 1)]) . "\n");
    $passes = true;
    $number = 0;
    $next_id = static function () use (&$number): string {
        return md5('message ' . $number++);
    };
    $dispatch = static fn(string $content, string $id): string => message(DISPATCH, [QUEUE_NAME => $queue, CONTENT => $content, ID => $id, TTL => '3300']);
    $silent = broken_messages(DISPATCH, [QUEUE_NAME => $queue, CONTENT => $sound, ID => $next_id(), TTL => '3300']);
    // Their framing is sound and their id is readable, so they can be removed.
    $removable = [];
    foreach (['no content', 'no time to live', 'time to live is not a number'] as $name) {
        $removable[$name] = $silent[$name];
        unset($silent[$name]);
    }
    $silent['no id'] = message(DISPATCH, [QUEUE_NAME => $queue, CONTENT => $sound, TTL => '3300']);
    $silent['a written message for a reader'] = message(WRITE, [QUEUE_NAME => $queue, CONTENT => $sound, TTL => '3300']);
    $silent['a request to consume for a reader'] = message(CONSUME, [QUEUE_NAME => $queue, COUNT => '1']);
    $silent['an acknowledgement for a reader'] = message(ACKNOWLEDGE, [QUEUE_NAME => $queue, ID => md5('message 0')]);
    foreach ($silent as $name => $bytes) {
        $stream = accept_reader($listener, $queue);
        send($stream, $bytes);
        $answer = rest_of($stream);
        // A readable id with unreadable other parts may be removed or not: the page does not say.
        $demanded = ['', message(DEAD_LETTER, [QUEUE_NAME => $queue, ID => md5('message 0')])];
        $passes = report(['case' => $name, 'good' => false, 'sent' => $bytes, 'demanded' => $demanded, 'answer' => $answer, 'passes' => in_array($answer, $demanded, true)]) && $passes;
    }
    // One connection for the rest: a refused message is no reason to part.
    $stream = accept_reader($listener, $queue);
    fclose($listener);
    $cases = [];
    foreach ($removable as $name => $bytes) {
        $cases[] = [$name, $bytes, null, md5('message 0'), DEAD_LETTER];
    }
    foreach ($contents_of['bad'] as $name => $content) {
        $id = $next_id();
        $cases[] = [$name, $dispatch($content, $id), $content, $id, DEAD_LETTER];
    }
    $id = $next_id();
    $cases[] = ['message of a queue that the reader did not ask for', message(DISPATCH, [QUEUE_NAME => 'elsewhere', CONTENT => $sound, ID => $id, TTL => '9']), null, $id, DEAD_LETTER];
    foreach ($contents_of['good'] as $name => $content) {
        $id = $next_id();
        $cases[] = [$name, $dispatch($content, $id), $content, $id, ACKNOWLEDGE];
    }
    foreach ($cases as [$name, $bytes, $content, $id, $type]) {
        send($stream, $bytes);
        $answer = read_message($stream);
        $equal = $answer['type'] === $type && $answer['contents'][ID] === $id && $answer['contents'][QUEUE_NAME] === (str_contains($name, 'did not ask') ? 'elsewhere' : $queue);
        $passes = report(['case' => $name, 'good' => $type === ACKNOWLEDGE, 'sent' => $content ?? $bytes, 'demanded' => sprintf('%03d with id %s', $type, $id), 'answer' => sprintf('%03d with id %s', $answer['type'], $answer['contents'][ID]), 'passes' => $equal]) && $passes;
    }
    $answer = rest_of($stream);
    return report(['case' => 'no answer more', 'good' => true, 'sent' => '', 'demanded' => '', 'answer' => $answer, 'passes' => $answer === '']) && $passes;
}

try {
    $contents_of = json_decode(file_get_contents($argv[3]), true, 512, JSON_THROW_ON_ERROR);
    $contents_of = array_map(static fn(array $contents): array => array_map(base64_decode(...), $contents), $contents_of);
    exit(($argv[1] === 'client' ? run_client($argv[2], $contents_of, (int) $argv[4]) : run_endpoint($argv[2], $contents_of)) ? 0 : 1);
} catch (BrokenMessage $broken) {
    report(['case' => 'conversation', 'good' => false, 'answer' => $broken->getMessage(), 'passes' => false]);
    exit(1);
}
