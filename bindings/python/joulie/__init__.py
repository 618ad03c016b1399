# SPDX-License-Identifier: Apache-2.0
"""Decisions about power, for schedulers: libjoulie from Python.

>>> import joulie
>>> joulie.ask("quantity", {"text": "1500m"})["value"]
'1.5'

Every function runs in the C library: answers are the same bytes as those of the command line.
Documents may be dicts, or JSON or YAML as str or bytes. What is unknown is None or absent, never 0.

Functions keep no state, and other threads run while the library answers. A Cluster, Host, Agent or
Simulation belongs to one thread at a time: a second one gets a RuntimeError. After close(), or after
its with-block, it raises ValueError.

What the headers declare (structs, enums, constants, functions) is in joulie.abi.
"""

from __future__ import annotations

from . import abi
from ._ask import (
    JoulieWarning,
    Question,
    ask,
    ask_text,
    describe,
    has_feature,
    questions,
    version,
)
from ._caps import CapsLimits, caps_next_w, caps_resolve
from ._classify import Classification, ClassifyKnown, ClassifyTexts, classify
from ._cluster import Action, Cluster, ClusterNode, Extended, MachineNumbers, Totals
from ._errors import (
    ConflictError,
    EnumError,
    Error,
    InternalError,
    IoError,
    LimitError,
    MemberTypeError,
    ParseError,
    RangeError,
    RequiredError,
    UnknownMemberError,
    UnsupportedError,
)
from ._host import Entry, Host
from ._native import Document
from ._object import Object, word, word_value
from ._node import Agent, Write
from ._place import NodeColumns, PlaceSettings, Work, place_nodes, reject_text
from ._sim import (
    SimEvent,
    SimObjects,
    Simulation,
    generate_workload,
    inspect_workload,
    instant_ms,
    simulate,
)
from ._slowdown import Slowdown, SlowdownNumbers, slowdown
from ._table import Frame, Table
from ._text import Part, format_document, split
from ._trend import Trend, trend
from ._twin import Prediction, TwinColumns, TwinNumbers, predict, predict_columns
from .abi import (
    ActionOutcome,
    ActionVerb,
    CapBlock,
    CapClamp,
    CapDevice,
    CapFeedback,
    CapsRules,
    CapState,
    ClassifyHas,
    ClassifyRules,
    Change,
    Movable,
    Basis,
    Bound,
    ControlResult,
    Cooling,
    ExtenderVerb,
    FailPolicy,
    Form,
    GpuVendor,
    Level,
    NodeClass,
    NodeState,
    NodeLabel,
    PlaceHas,
    PlaceRules,
    PowerSource,
    Profile,
    Reject,
    Slicing,
    Spread,
    WorkloadClass,
    NodeKind,
    NodeOutcome,
    PowerTier,
    Provenance,
    Supply,
    TwinOut,
    TwinHas,
    SimEventKind,
    TwinRules,
)

__all__ = [
    "Action",
    "ActionOutcome",
    "ActionVerb",
    "Agent",
    "Basis",
    "Bound",
    "CapBlock",
    "CapClamp",
    "CapDevice",
    "CapFeedback",
    "CapState",
    "CapsLimits",
    "CapsRules",
    "Change",
    "Classification",
    "ClassifyHas",
    "ClassifyKnown",
    "ClassifyRules",
    "ClassifyTexts",
    "Cluster",
    "ClusterNode",
    "ConflictError",
    "ControlResult",
    "Cooling",
    "Document",
    "Entry",
    "EnumError",
    "Error",
    "Extended",
    "ExtenderVerb",
    "FailPolicy",
    "Form",
    "Frame",
    "GpuVendor",
    "Host",
    "InternalError",
    "IoError",
    "JoulieWarning",
    "Level",
    "LimitError",
    "MachineNumbers",
    "MemberTypeError",
    "Movable",
    "NodeClass",
    "NodeColumns",
    "NodeKind",
    "NodeLabel",
    "NodeOutcome",
    "NodeState",
    "Object",
    "ParseError",
    "Part",
    "PlaceHas",
    "PlaceRules",
    "PlaceSettings",
    "PowerSource",
    "PowerTier",
    "Prediction",
    "Profile",
    "Provenance",
    "Question",
    "RangeError",
    "Reject",
    "RequiredError",
    "SimEvent",
    "SimEventKind",
    "SimObjects",
    "Simulation",
    "Slicing",
    "Slowdown",
    "SlowdownNumbers",
    "Spread",
    "Supply",
    "Table",
    "Totals",
    "Trend",
    "TwinColumns",
    "TwinHas",
    "TwinNumbers",
    "TwinOut",
    "TwinRules",
    "UnknownMemberError",
    "UnsupportedError",
    "Work",
    "WorkloadClass",
    "Write",
    "abi",
    "ask",
    "ask_text",
    "caps_next_w",
    "caps_resolve",
    "classify",
    "describe",
    "format_document",
    "generate_workload",
    "has_feature",
    "inspect_workload",
    "instant_ms",
    "place_nodes",
    "predict",
    "predict_columns",
    "questions",
    "reject_text",
    "simulate",
    "slowdown",
    "split",
    "trend",
    "version",
    "word",
    "word_value",
]
