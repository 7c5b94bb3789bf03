import threading
import unittest

from media_buy_receiver import InboxEvent, MemoryInbox, MemoryReplayStore, handle_once

DAY = 86_400
KNOWN = DAY + 300
ONE, COPY = InboxEvent('seller', 'k1', ('task t1', 1)), InboxEvent('seller', 'k1', ('task t1', 1))
ANOTHER = InboxEvent('seller', 'k2', ('task t1', 2))
ALONE = InboxEvent('seller', 'k3')


class Nonces(unittest.TestCase):
    def test_a_nonce_is_known_up_to_and_including_its_end_and_of_its_key_alone(self):
        store = MemoryReplayStore()
        self.assertEqual(store.record('a', 'n', 10, 0), 'recorded')
        self.assertEqual(store.record('a', 'n', 20, 10), 'seen')
        self.assertEqual(store.record('b', 'n', 20, 10), 'recorded')
        self.assertEqual(store.record('a', 'n', 30, 11), 'recorded')

    def test_one_that_has_ended_behind_one_that_lasts_may_be_used_again(self):
        store = MemoryReplayStore()
        store.record('a', 'lasts', 100, 0)
        store.record('a', 'ends', 10, 0)
        self.assertEqual(store.record('a', 'ends', 90, 11), 'recorded')
        self.assertEqual(store.record('a', 'ends', 90, 12), 'seen')

    def test_a_key_has_its_share_and_what_is_seen_is_told_first(self):
        store = MemoryReplayStore(nonces_per_key=2)
        for nonce in 'xy':
            self.assertFalse(store.is_full('a', 0))
            store.record('a', nonce, 10, 0)
        self.assertTrue(store.is_full('a', 10))
        self.assertEqual([store.record('a', nonce, 10, 10) for nonce in 'xz'], ['seen', 'full'])
        self.assertFalse(store.is_full('b', 10))
        self.assertFalse(store.is_full('a', 11))
        self.assertEqual(store.record('a', 'z', 20, 11), 'recorded')


class Inboxes(unittest.TestCase):
    def test_what_is_claimed_is_busy_until_the_lease_ends_and_so_is_its_subject(self):
        inbox = MemoryInbox(lease=60)
        self.assertEqual(inbox.claim(ONE, 'me', 0), 'claimed')
        for event in (COPY, ANOTHER, InboxEvent('seller', 'k1'), InboxEvent('seller', 'k1', ('task t2', 1))):
            self.assertEqual(inbox.claim(event, 'you', 60), 'busy')
        self.assertEqual(inbox.claim(ALONE, 'you', 60), 'claimed')
        self.assertEqual(inbox.claim(COPY._replace(sender='another'), 'you', 60), 'claimed')
        self.assertEqual(inbox.claim(COPY, 'you', 61), 'claimed')

    def test_only_the_owner_gives_a_claim_up(self):
        inbox = MemoryInbox()
        inbox.claim(ONE, 'me', 0)
        inbox.release(ONE, 'you')
        self.assertEqual(inbox.claim(ANOTHER, 'you', 1), 'busy')
        inbox.release(ONE, 'me')
        self.assertEqual(inbox.claim(ANOTHER, 'you', 1), 'claimed')

    def test_what_is_handled_is_a_duplicate_for_24_hours_and_five_minutes(self):
        inbox = MemoryInbox()
        for event in (ONE, ALONE):
            inbox.claim(event, 'me', 0)
            inbox.finish(event, 'me', 0)
            self.assertEqual(inbox.claim(event, 'you', KNOWN), 'duplicate')
            self.assertEqual(inbox.claim(event._replace(sender='another'), 'you', KNOWN), 'claimed')
            self.assertEqual(inbox.claim(event, 'you', KNOWN + 1), 'claimed')

    def test_an_older_state_of_a_subject_is_stale_and_the_same_instant_is_not(self):
        inbox = MemoryInbox()
        for key, at, now in (('k1', 5, 0), ('k2', 5, 1), ('k3', 7, 2)):
            self.assertEqual(inbox.claim(InboxEvent('seller', key, ('task t', at)), 'me', now), 'claimed')
            inbox.finish(InboxEvent('seller', key, ('task t', at)), 'me', now)
        self.assertEqual(inbox.claim(InboxEvent('seller', 'k4', ('task t', 6)), 'me', KNOWN + 2), 'stale')
        self.assertEqual(inbox.claim(InboxEvent('seller', 'k4', ('task u', 6)), 'me', 3), 'claimed')
        self.assertEqual(inbox.claim(InboxEvent('seller', 'k5', ('task t', 6)), 'me', KNOWN + 3), 'claimed')

    def test_one_that_is_finished_late_does_not_make_a_subject_older(self):
        inbox = MemoryInbox()
        for key, at in (('k1', 9), ('k2', 3)):
            inbox.finish(InboxEvent('seller', key, ('task t', at)), 'me', 0)
        self.assertEqual(inbox.claim(InboxEvent('seller', 'k3', ('task t', 8)), 'me', 1), 'stale')

    def test_a_sender_has_its_share_and_another_has_its_own(self):
        inbox = MemoryInbox(events_per_sender=1)
        self.assertEqual(inbox.claim(ALONE, 'me', 0), 'claimed')
        self.assertEqual(inbox.claim(ONE, 'me', 0), 'full')
        inbox.finish(ALONE, 'me', 0)
        self.assertEqual(inbox.claim(ONE, 'me', 0), 'full')
        self.assertEqual(inbox.claim(ONE._replace(sender='another'), 'me', 0), 'claimed')

    def test_less_than_24_hours_raises(self):
        with self.assertRaises(ValueError):
            MemoryInbox(retention=DAY - 1)


class Handling(unittest.TestCase):
    def test_a_copy_waits_and_learns_the_fate_of_the_first(self):
        for fails, expected in ((False, 'duplicate'), (True, 'handled')):
            inbox, begun, go_on, copies = MemoryInbox(), threading.Event(), threading.Event(), []

            def first():
                begun.set()
                go_on.wait(30)
                if fails:
                    raise OSError('disk full')

            def handle_first():
                try:
                    handle_once(inbox, ONE, first)
                except OSError:
                    pass

            threads = [threading.Thread(target=handle_first)]
            threads[0].start()
            begun.wait(30)
            self.assertEqual(handle_once(inbox, COPY, self.fail, wait=0), 'busy')
            threads.append(threading.Thread(target=lambda: copies.append(handle_once(inbox, COPY, lambda: None, wait=30))))
            threads[1].start()
            go_on.set()
            for thread in threads:
                thread.join()
            self.assertEqual(copies, [expected])

    def test_what_the_handler_raises_is_raised(self):
        inbox = MemoryInbox()
        with self.assertRaises(KeyboardInterrupt):
            handle_once(inbox, ONE, _interrupted)
        self.assertEqual(handle_once(inbox, ONE, lambda: None), 'handled')


def _interrupted():
    raise KeyboardInterrupt


if __name__ == '__main__':
    unittest.main()
