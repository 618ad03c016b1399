# SPDX-License-Identifier: Apache-2.0
"""API objects and their words: include/joulie/object.h, v1alpha1.h, tensor_fusion_v1.h, words.h."""

from __future__ import annotations

import contextlib
import ctypes
import enum
import json
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _ask, _native, abi
from ._errors import Error, MemberTypeError
from ._native import Document

Value = Union[bool, int, float, str]


class _View(NamedTuple):
    """A flat view of a kind."""

    name: str
    kinds: tuple[str, ...]
    read: Any
    struct: type[abi.Struct]
    flags: type[enum.IntFlag]
    api_version: str = abi.JOULIE_V1ALPHA1_API_VERSION


_VIEWS = (
    _View(
        "spec",
        ("NodeTwin",),
        abi.joulie_v1alpha1_get_node_twin_spec,
        abi.V1alpha1NodeTwinSpec,
        abi.V1alpha1NodeTwinSpecHas,
    ),
    _View(
        "status",
        ("NodeTwin",),
        abi.joulie_v1alpha1_get_node_twin_status,
        abi.V1alpha1NodeTwinStatus,
        abi.V1alpha1NodeTwinStatusHas,
    ),
    _View(
        "hardware",
        ("NodeHardware",),
        abi.joulie_v1alpha1_get_node_hardware,
        abi.V1alpha1NodeHardware,
        abi.V1alpha1NodeHardwareHas,
    ),
    _View(
        "profile",
        ("WorkloadProfile",),
        abi.joulie_v1alpha1_get_workload_profile,
        abi.V1alpha1WorkloadProfile,
        abi.V1alpha1WorkloadProfileHas,
    ),
    _View(
        "profile",
        ("WorkloadProfile", "TensorFusionWorkload"),
        abi.joulie_tensor_fusion_v1_get_profile,
        abi.TensorFusionV1Profile,
        abi.TensorFusionV1ProfileHas,
        abi.JOULIE_TENSOR_FUSION_V1_API_VERSION,
    ),
)


def word(value: enum.IntEnum) -> Optional[str]:
    """The word of a value in documents and answers; None: it has none.

    >>> import joulie
    >>> joulie.word(joulie.NodeClass.DRAINING)
    'draining'
    """
    found = abi.joulie_word(_vocabulary(type(value)), int(value))
    return None if found is None else found.decode()


def word_value(kind: type[_native.EnumType], text: str) -> _native.EnumType:
    """The value of a word; UNKNOWN for a word that the list does not have.

    >>> import joulie
    >>> joulie.word_value(joulie.NodeClass, "eco")
    <NodeClass.ECO: 1>
    """
    number = abi.joulie_word_value(_vocabulary(kind), _native.c_text(text, "text"))
    return _native.known_value(kind, number)


def _vocabulary(kind: type[enum.IntEnum]) -> int:
    for found in abi.Vocabulary:
        if abi.class_name("joulie_" + found.name.lower()) == kind.__name__:
            return int(found)
    raise TypeError(f"{kind.__name__} has no words")


class Object(_native.Handle):
    """One object of the API (NodeTwin, NodeHardware, WorkloadProfile, Pod, Node, …).

    document  a dict, or JSON or YAML
    kind      what it is when it does not say so
    lenient   keep what the kind does not allow; validate() then tells what is wrong

    What can be read but is doubtful, as an amount of TensorFusion that is a float, is a
    JoulieWarning; with lenient, nothing is said.

    It keeps everything that its document said: members that the library does not know, and the
    digits of every number. Paths name members as errors do: spec.cpu.packagePowerCapPctOfMax,
    status.cpu.packages[0].minWatts. One object belongs to one thread at a time.

    >>> import joulie
    >>> spec = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapPctOfMax": 60}}
    >>> twin = joulie.Object({"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", "spec": spec})
    >>> twin.set("spec.cpu.packagePowerCapPctOfMax", 45.5)
    >>> twin.get("spec.cpu.packagePowerCapPctOfMax"), twin.get("spec.cpu.packagePowerCapWatts")
    (45.5, None)
    """

    _what = "object"

    def __init__(
        self, document: Document, *, kind: Optional[str] = None, lenient: bool = False
    ) -> None:
        text = _native.document_bytes(document)
        handle = ctypes.c_void_p()
        _native.check(
            abi.joulie_object_parse,
            text,
            len(text),
            _native.optional_text(kind, "kind"),
            _flags(lenient),
            ctypes.byref(handle),
        )
        self._own(handle, abi.joulie_object_free)
        if not lenient and self._has_doubts():
            with contextlib.suppress(Error):  # it may not say its own kind
                _ask.tell_doubts(text, 3)

    @classmethod
    def new(cls, kind: str, api_version: Optional[str] = None) -> Object:
        """An object that has only apiVersion and kind."""
        handle = ctypes.c_void_p()
        _native.check(
            abi.joulie_object_new,
            _native.optional_text(api_version, "api_version"),
            _native.c_text(kind, "kind"),
            ctypes.byref(handle),
        )
        return cls._from(handle)

    @classmethod
    def _from(cls, handle: ctypes.c_void_p) -> Object:
        found = cls.__new__(cls)
        found._own(handle, abi.joulie_object_free)
        return found

    def __enter__(self) -> Object:
        return self

    def __repr__(self) -> str:
        return f"<joulie.Object {self.kind} {self.name or '(no name)'}>"

    def copy(self) -> Object:
        """A second object that is equal and shares nothing."""
        handle = ctypes.c_void_p()
        self._check(abi.joulie_object_copy, ctypes.byref(handle))
        return self._from(handle)

    @property
    def api_version(self) -> str:
        """Such as "joulie.io/v1alpha1"."""
        return self._header(abi.joulie_object_api_version) or ""

    @property
    def kind(self) -> str:
        """Such as "NodeTwin"."""
        return self._header(abi.joulie_object_kind) or ""

    @property
    def name(self) -> Optional[str]:
        """metadata.name"""
        return self._header(abi.joulie_object_name)

    @property
    def namespace(self) -> Optional[str]:
        """metadata.namespace"""
        return self._header(abi.joulie_object_namespace)

    def _header(self, function: Callable[..., Optional[bytes]]) -> Optional[str]:
        with self._use() as handle:
            found = function(handle)
            return None if found is None else found.decode()

    # --- members ---

    def get(self, path: str) -> Optional[Value]:
        """A single value as its own type, numbers as float; None = absent."""
        for read in (self.text, self.number):
            try:
                return read(path)
            except MemberTypeError:
                pass
        return self.boolean(path)

    def number(self, path: str) -> Optional[float]:
        """A number; None = absent."""
        out = ctypes.c_double()
        return out.value if self._get(abi.joulie_object_get_number, path, out) else None

    def integer(self, path: str) -> Optional[int]:
        """An integer; None = absent."""
        out = ctypes.c_int64()
        return out.value if self._get(abi.joulie_object_get_integer, path, out) else None

    def boolean(self, path: str) -> Optional[bool]:
        """A boolean; None = absent."""
        out = ctypes.c_int32()
        return bool(out.value) if self._get(abi.joulie_object_get_bool, path, out) else None

    def text(self, path: str) -> Optional[str]:
        """A text, or a word of a list; None = absent."""
        out = ctypes.c_char_p()
        with self._use() as handle:
            spelled = _native.c_text(path, "path")
            found = _native.check(abi.joulie_object_get_text, handle, spelled, ctypes.byref(out))
            return _native.text_of(out.value) if found else None

    def count(self, path: str) -> Optional[int]:
        """How many items a list has, or members an object; None = absent."""
        out = ctypes.c_size_t()
        return out.value if self._get(abi.joulie_object_count, path, out) else None

    def _get(self, function: Callable[..., int], path: str, out: Any) -> int:
        return self._check(function, _native.c_text(path, "path"), ctypes.byref(out))

    def set(self, path: str, value: Value) -> None:
        """Sets a single value, and makes what is missing around it."""
        function: Callable[..., int]
        given: Any = value
        if isinstance(value, bool):
            function = abi.joulie_object_set_bool
        elif isinstance(value, int):
            function = abi.joulie_object_set_integer
        elif isinstance(value, float):
            function = abi.joulie_object_set_number
        else:
            function, given = abi.joulie_object_set_text, _native.c_text(value, "value")
        self._check(function, _native.c_text(path, "path"), given)

    def unset(self, path: str) -> None:
        """Takes a member out, whatever it is."""
        self._check(abi.joulie_object_unset, _native.c_text(path, "path"))

    # --- the whole ---

    def print(self, form: abi.Form = abi.Form.LINE) -> str:
        """The document: JSON on one line, JSON for a person, or YAML."""
        return self._text(abi.joulie_object_print, int(form))

    def to_dict(self) -> dict[str, Any]:
        """The document as a dict."""
        found: dict[str, Any] = json.loads(self.print())
        return found

    def validate(self) -> None:
        """Raises what is wrong with it, if anything is; a doubt is a JoulieWarning."""
        self._check(abi.joulie_object_validate)
        if self._has_doubts():
            _ask.tell_doubts(self.print(), 3)

    def _has_doubts(self) -> bool:
        """Only the rules of TensorFusion's kinds know more than right and wrong."""
        return self.api_version == abi.JOULIE_TENSOR_FUSION_V1_API_VERSION

    def diff(self, after: Object) -> dict[str, Any]:
        """The smallest JSON merge patch that makes `after` out of this one; {} = equal."""
        if after is self:
            return {}
        with after._use() as other:
            found: dict[str, Any] = self._json(abi.joulie_object_diff, other)
        return found

    def patch(self, patch: Union[Document, list[dict[str, Any]]], *, lenient: bool = False) -> None:
        """Applies a JSON merge patch (an object) or a JSON patch (a list)."""
        text = _native.document_bytes(patch)
        self._check(abi.joulie_object_patch, text, len(text), _flags(lenient))

    def view(self, name: str = "") -> dict[str, Any]:
        """The single values of a kind by plain names; what is unknown is absent.

        name  "spec" or "status" of a NodeTwin; other kinds have one view
        """
        api_version, kind = self.api_version, self.kind
        fitting = {
            view.name: view
            for view in _VIEWS
            if view.api_version == api_version and kind in view.kinds
        }
        if name not in fitting and (name or len(fitting) != 1):
            raise ValueError(f"the views of {kind} are: {', '.join(fitting) or 'none'}")
        view = fitting[name or next(iter(fitting))]
        out = view.struct()
        with self._use() as handle:
            _native.check(view.read, handle, ctypes.byref(out))
            known = _native.Bits(view.flags, view.struct).known(out)
            kinds = _native.member_kinds(view.struct)
            return {member: kinds[member](value) for member, value in known.items()}


def tensor_fusion_profile(document: Union[Object, Document]) -> dict[str, Any]:
    """The spec of TensorFusion's WorkloadProfile or TensorFusionWorkload, of any dialect, flat.

    document  an Object, or a dict, JSON or YAML, which may have what its dialect does not

    What is unknown is absent: struct joulie_tensor_fusion_v1_profile, by its names.

    >>> import joulie
    >>> resources = {"limits": {"tflops": "2e1", "vram": "4Gi"}}
    >>> joulie.tensor_fusion_profile({
    ...     "apiVersion": "tensor-fusion.ai/v1", "kind": "WorkloadProfile",
    ...     "spec": {"qos": "high", "resources": resources}})["limit_vram_bytes"]
    4294967296.0
    """
    if not isinstance(document, Object):
        with Object(document, lenient=True) as made:
            return tensor_fusion_profile(made)
    if document.api_version != abi.JOULIE_TENSOR_FUSION_V1_API_VERSION:
        raise ValueError(f"{document!r} is not of {abi.JOULIE_TENSOR_FUSION_V1_API_VERSION}")
    return document.view("profile")


def _flags(lenient: bool) -> int:
    return abi.JOULIE_OBJECT_LENIENT if lenient else 0
