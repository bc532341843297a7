#!/usr/bin/env bash
# 10. Problems in a file
#
#     bash -v samples/10-problems-in-a-file.sh
#
# samples/backward_gradient.yaml has the worked examples of the first lessons.
# Each is a program with its inputs, its upstream gradient and what is expected.

gradcli batch samples/backward_gradient.yaml

# The number behind a name is the largest relative difference from what was
# expected.  Take one problem, and show all of it.

gradcli batch samples/backward_gradient.yaml --only "a full Jacobian" -v

# What is in the file, without running any of it:

gradcli batch samples/exercises.yaml --list --only product

# Problems come from standard input too, one JSON object a line, and the answers
# go to other programs the same way.  -q keeps what passes to itself.

echo '{"program": "x**2", "inputs": {"x": 3}, "expect": {"gradient": {"x": 5}}}' | gradcli batch - || echo "exit code $?"

# Mistakes are told with the place in the file and with what would work.

echo '{"program": "3*a + lg(c)", "inputs": {"a": 1, "c": 2}}' | gradcli batch - || echo "exit code $?"

# samples/mistakes.yaml is a collection of them; each one expects its error.

gradcli batch samples/mistakes.yaml -q
