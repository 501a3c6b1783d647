"""Tests the check of native libraries with files of our own making."""

import struct
import unittest

import page_size


def library(*segments, bits=64, order="<"):
    """Returns an ELF file that only has a table of segments: types and alignments."""
    head = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2]) + bytes(58)
    head = bytearray(head)
    struct.pack_into(f"{order}Q", head, 32, 64)
    struct.pack_into(f"{order}HH", head, 54, 56, len(segments))
    for kind, align in segments:
        entry = bytearray(56)
        struct.pack_into(f"{order}I", entry, 0, kind)
        struct.pack_into(f"{order}Q", entry, 48, align)
        head += entry
    return bytes(head)


class PageSize(unittest.TestCase):
    def test_segments_must_be_aligned_to_16_kb(self):
        for segments, fine in (
            ([(1, 16384), (1, 65536)], True),
            ([(1, 16384), (1, 4096)], False),
            ([(1, 16384), (6, 8)], True),
            ([(6, 8)], False),
            ([], False),
        ):
            for order in "<>":
                with self.subTest(segments, order=order):
                    self.assertEqual(page_size.problem(library(*segments, order=order)) is None, fine)

    def test_libraries_of_32_bits_may_have_small_pages(self):
        self.assertIsNone(page_size.problem(library((1, 4096), bits=32)))

    def test_other_files_are_refused(self):
        for file in (b"", b"MZ" + bytes(100), b"\x7fELF"):
            with self.subTest(file[:4]), self.assertRaises(ValueError):
                page_size.problem(file)


if __name__ == "__main__":
    unittest.main()
