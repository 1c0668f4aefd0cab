# SPDX-License-Identifier: MIT
"""Declares the structs and functions of include/nextpixel.h for ctypes, and allocates blocks of memory. A test compares the structs with
the header."""

import ctypes
import ctypes.util
import os
import sys
from ctypes import POINTER, Structure, c_char, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint32, c_void_p

ABI_VERSION = 14
ALIGN = 16
PORTS = 8
NAME_BYTES = 80
NONE = 0xFFFFFFFF
MORE, OK = 1, 0
ROWS_COUNTED = 3


def _struct(name, *fields):
    return type(name, (Structure,), {'_fields_': list(fields)})


def _u32(*names):
    return [(name, c_uint32) for name in names]


Problem = _struct('nx_problem', ('name', c_char * NAME_BYTES), ('reason', c_char * NAME_BYTES))
PartInfo = _struct('nx_part_info', *_u32('values', 'span', 'outputs', 'length', 'rewinds', 'inputs', 'maps', 'tables', 'ends', 'results', 'draft', 'grows', 'noisy',
                                         'hidden_layers', 'hidden_width', 'parameters_low', 'parameters_high'), ('name', c_char_p))
Port = _struct('nx_port', ('name', c_char_p), ('values', c_uint32), ('dims', c_uint32 * 4), *_u32('optional', 'any_length', 'like', 'noise'))
Result = _struct('nx_result', ('name', c_char_p), ('values', c_uint32), ('dims', c_uint32 * 4), *_u32('rows', 'rows_of'))
Map = _struct('nx_map', ('name', c_char_p), *_u32('port', 'rows', 'keys', 'queries', 'asking'))
Table = _struct('nx_table', ('name', c_char_p), *_u32('rows', 'cols'), ('data', POINTER(c_float)))
Metadata = _struct('nx_metadata', ('key', c_void_p), *_u32('key_bytes', 'type', 'item_type', 'count'), ('value', c_void_p), ('value_bytes', c_uint32))
Shape = _struct('nx_shape', ('length', c_uint32), ('counts', c_uint32 * PORTS), ('key_bits', c_uint32))
Settings = _struct('nx_settings', *_u32('seed_low', 'seed_high', 'samples', 'first_sample', 'origin'), ('temperature', c_float), ('top_k', c_uint32), ('top_p', c_float),
                   *_u32('maps', 'look_ahead'), ('typical_p', c_float), ('min_p', c_float), *_u32('temperature_last', 'penalty_last'), ('repetition', c_float),
                   ('frequency', c_float), ('presence', c_float), *_u32('look_up', 'biases', 'hidden'))

STRUCTS = {struct.__name__: struct for struct in (Problem, PartInfo, Port, Result, Map, Table, Metadata, Shape, Settings)}

_P = c_void_p
_U = c_uint32
_SIGNATURES = {
    'nx_abi_version': (c_uint32, []), 'nx_version': (c_char_p, []), 'nx_status_name': (c_char_p, [c_int32]),
    'nx_model_size': (c_int32, [_P, c_size_t, POINTER(c_size_t), POINTER(Problem)]),
    'nx_model_open': (c_int32, [_P, c_size_t, _P, c_size_t, POINTER(_P), POINTER(Problem)]),
    'nx_model_parts': (c_uint32, [_P]), 'nx_model_part': (c_int32, [_P, _U, POINTER(PartInfo)]),
    'nx_model_port': (c_int32, [_P, _U, _U, POINTER(Port)]), 'nx_model_result': (c_int32, [_P, _U, _U, POINTER(Result)]),
    'nx_model_map': (c_int32, [_P, _U, _U, POINTER(Map)]), 'nx_model_table': (c_int32, [_P, _U, _U, POINTER(Table)]),
    'nx_model_end': (c_int32, [_P, _U, _U, POINTER(_U)]),
    'nx_model_metadata_count': (c_uint32, [_P]), 'nx_model_metadata': (c_int32, [_P, _U, POINTER(Metadata)]),
    'nx_settings_init': (None, [POINTER(Settings)]),
    'nx_session_problem': (c_int32, [_P, _U, POINTER(Settings), POINTER(Shape), POINTER(Problem)]),
    'nx_session_size': (c_int32, [_P, _U, POINTER(Settings), POINTER(Shape), POINTER(c_size_t)]),
    'nx_session_open': (c_int32, [_P, c_size_t, _P, _U, POINTER(Settings), POINTER(Shape), POINTER(_P)]),
    'nx_session_input': (c_int32, [_P, _P, _U, _P, _U]), 'nx_session_encode': (c_int32, [_P, _P]),
    'nx_session_put': (c_int32, [_P, _P, _P, _U, c_int, _P]), 'nx_session_draw': (c_int32, [_P, _P, _U, _P, _P, POINTER(_U)]),
    'nx_session_position': (c_uint32, [_P]), 'nx_session_output': (c_int32, [_P, _P, _U, _P]),
    'nx_session_map': (c_int32, [_P, _P, _U, _U, _U, _P, _P, POINTER(_U)]),
    'nx_session_hidden': (c_int32, [_P, _P, _U, _U, _P]),
    'nx_session_result_count': (c_int32, [_P, _P, _U, POINTER(_U)]), 'nx_session_result': (c_int32, [_P, _P, _U, _U, _U, _P]),
}


def _candidates():
    if os.environ.get('NEXTPIXEL_LIBRARY'):
        return [os.environ['NEXTPIXEL_LIBRARY']]
    name = {'darwin': 'libnextpixel.dylib', 'win32': 'nextpixel.dll'}.get(sys.platform, 'libnextpixel.so')
    folders = [os.path.join(prefix, lib) for prefix in (sys.prefix, os.path.expanduser('~/.local')) for lib in ('lib', 'lib64')]
    return [path for path in (os.path.join(folder, name) for folder in folders) if os.path.exists(path)] + [ctypes.util.find_library('nextpixel') or name]


def _loaded():
    tried = _candidates()
    for path in tried:
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        if library.nx_abi_version() != ABI_VERSION:
            raise ImportError(f'{path} has ABI version {library.nx_abi_version()}, this package is for {ABI_VERSION}: install both from one release')
        return library
    raise ImportError(f'the shared library of nextpixel was not found (tried {", ".join(tried)}): install it with CMake, or set NEXTPIXEL_LIBRARY to its path')


library = _loaded()


class Block:
    """Memory of `size` bytes, with the alignment that the library requires."""

    def __init__(self, size):
        self._bytes = ctypes.create_string_buffer(size + ALIGN)
        self.address = (ctypes.addressof(self._bytes) + ALIGN - 1) // ALIGN * ALIGN
